import Foundation
import Testing
import TintypeCore
import TintypeTesting

/// The fixtures made by `scripts/fixtures/make-fixtures.py`, with what Pillow and the specifications state about each.
struct FixtureManifest: Decodable {
    struct Fixture: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let format: String?
        let width: Int?
        let height: Int?
        let orientation: Int?
        let frameCount: Int?
        let loopCount: Int?
        let durations: [Double]
        let hasAlpha: Bool?
        let valid: Bool
        let lossless: Bool?
        /// The largest difference of a channel if rounding is the only loss.
        let near: Int?
        let expected: [String]?
        let expectedWidth: Int?
        let expectedHeight: Int?

        var testDescription: String { name }

        var data: Data { get throws { try FixtureManifest.data(name) } }

        /// The reference image: straight RGBA as displayed, premultiplied here like the library's.
        var expectedPixels: PixelBuffer? { get throws { try expected?.first.flatMap(pixels(in:)) } }

        /// Each frame of an animation as displayed.
        var expectedFrames: [PixelBuffer] { get throws { try (expected ?? []).compactMap(pixels(in:)) } }

        private func pixels(in file: String) throws -> PixelBuffer? {
            guard let width = expectedWidth, let height = expectedHeight else { return nil }
            let bytes = [UInt8](try FixtureManifest.data(file))
            return try .drawn(PixelSize(width: width, height: height)) { x, y in
                let offset = (y * width + x) * 4
                let alpha = Int(bytes[offset + 3])
                func channel(_ index: Int) -> UInt8 { UInt8((Int(bytes[offset + index]) * alpha * 2 + 255) / 510) }
                return Pixel(red: channel(0), green: channel(1), blue: channel(2), alpha: UInt8(alpha))
            }
        }
    }

    let fixtures: [Fixture]

    static let all: [Fixture] = {
        do {
            return try JSONDecoder().decode(FixtureManifest.self, from: data("manifest.json")).fixtures
        } catch {
            preconditionFailure("the manifest of the fixtures cannot be read: \(error)")
        }
    }()

    static func named(_ name: String) throws -> Fixture {
        guard let fixture = all.first(where: { $0.name == name }) else { throw CocoaError(.fileNoSuchFile) }
        return fixture
    }

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures/\(name)"))
    }
}

extension FixtureManifest {
    /// The colour profile embedded in a fixture.
    static func profile(in name: String) throws -> Data? {
        let stem = name.hasPrefix("inks") ? "inks" : name.hasPrefix("linear") ? "grey" : "p3"
        return try data("profiles/\(stem).icc")
    }
}
