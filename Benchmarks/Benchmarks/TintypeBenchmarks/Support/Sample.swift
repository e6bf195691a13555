import Foundation

/// Pictures to measure with: those of the demo.
enum Sample {
    /// 1280 × 853, baseline.
    static func jpeg() throws -> Data { try file("ocean.jpg") }
    /// 800 × 600, RGBA.
    static func png() throws -> Data { try file("glass.png") }

    private static func file(_ name: String, here: String = #filePath) throws -> Data {
        let package = (0..<5).reduce(URL(filePath: here)) { url, _ in url.deletingLastPathComponent() }
        return try Data(contentsOf: package.appending(path: "Sources/CTintypeSamples/Samples/\(name)"))
    }
}
