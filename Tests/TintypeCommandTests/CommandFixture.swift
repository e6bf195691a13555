import Foundation
import Testing
import Tintype
import TintypeCore
import TintypeTesting

/// An origin server with valid and invalid images, and a temporary directory.
final class CommandFixture: Sendable {
    let origin: Origin
    let folder: URL

    init() async throws {
        origin = try await Origin.start()
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let jpeg = try Self.jpeg(width: 120, height: 80)
        let png = try Self.png(width: 60, height: 90)
        var corrupt = png
        corrupt[corrupt.count / 2] ^= 0xFF
        origin.serve("/a.jpg", response: .image(jpeg, type: "image/jpeg"))
        origin.serve("/b.png", response: .image(png, type: "image/png"))
        origin.serve("/empty.png", response: .image(Data(), type: "image/png"))
        origin.serve("/cut.png", response: .image(png, type: "image/png").setting(\.ending, to: .cut(after: 50)))
        origin.serve("/html.png", response: .image(Data("<html>hello</html>".utf8), type: "image/png"))
        origin.serve("/corrupt.png", response: .image(corrupt, type: "image/png"))
    }

    func end() async {
        await origin.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String) -> String { origin.url(path).absoluteString }
    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// Writes a file into the directory and returns its path.
    func write(_ data: Data, _ name: String) throws -> String {
        try data.write(to: folder.appending(path: name))
        return path(name)
    }

    /// Returns a path in ISO 8859-1, with the zero at its end.
    static func latin1(_ path: String) -> [CChar] {
        path.unicodeScalars.map { CChar(bitPattern: UInt8($0.value)) } + [0]
    }

    static func jpeg(width: Int, height: Int) throws -> Data {
        try JPEGEncoder().encode(image(width, height), as: .jpeg, options: EncodeOptions(quality: 0.8))
    }

    static func png(width: Int, height: Int) throws -> Data {
        try PNGEncoder().encode(image(width, height), as: .png, options: EncodeOptions())
    }

    /// Returns an animated PNG whose third frame is damaged: the frame is not a stream of zlib, but has the right
    /// checksum.
    static func animationWithADamagedFrame() throws -> Data {
        var data = try Data(contentsOf: URL(filePath: codecFixture("animated.png")))
        let name = try #require(data.range(of: Data("fdAT".utf8), options: .backwards))
        let length = data[name.lowerBound - 4..<name.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        // The number of the chunk in the sequence comes first.
        let frame = name.upperBound + 4..<name.upperBound + length
        data.replaceSubrange(frame, with: Data(repeating: 0xFF, count: frame.count))
        let sum = ZlibStored.crc32(data[name.lowerBound..<frame.upperBound])
        data.replaceSubrange(
            frame.upperBound..<frame.upperBound + 4, with: withUnsafeBytes(of: sum.bigEndian) { Data($0) })
        return data
    }

    /// Returns an icon of two PNGs, of which only the larger one is damaged.
    static func iconWithADamagedImage() throws -> Data {
        try IconFile.withADamagedImage { side in try png(width: side, height: side) }
    }

    private static func image(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try .drawn(PixelSize(width: width, height: height)) { x, y in
            Pixel(red: UInt8(x * 255 / width), green: UInt8(y * 255 / height), blue: UInt8((x ^ y) & 0xFF))
        }
    }

    /// Returns the path of a fixture of the codec tests.
    static func codecFixture(_ name: String) -> String {
        URL(filePath: #filePath).appending(path: "../../TintypeCodecTests/Fixtures/\(name)").standardizedFileURL
            .path(percentEncoded: false)
    }
}

/// Runs a test with a fixture, and removes the fixture afterwards.
func withCommandFixture(_ body: (CommandFixture) async throws -> Void) async throws {
    let fixture = try await CommandFixture()
    let result: Result<Void, any Error>
    do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
    await fixture.end()
    try result.get()
}
