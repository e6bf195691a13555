import CBenchmarkControls
import Foundation
import Tintype
import TintypeCore

/// The paths whose instructions `scripts/check/instructions` counts and compares.
///
/// Each path has a process of its own, so that no thread still works for another one. It runs once to warm up and once
/// to count, on inputs that are in the repository.
enum InstructionCounts {
    static func run(_ path: String) async throws {
        try check(control_can_count_instructions(), "run this by scripts/check/instructions, under valgrind")
        let body = try await prepare(path)
        try await body()
        control_begin_instructions()
        try await body()
        control_end_instructions(path)
    }

    private static func prepare(_ path: String) async throws -> () async throws -> Void {
        switch path {
        case "memory hit": try repeating(MemoryRows.hits(["1000"]), "request")
        case "request key": try makeKeys()
        case "disk get": try await repeating(DiskRows.entries(["200", "10240", "none"]), "get")
        case "disk miss": try await repeating(DiskRows.entries(["200", "10240", "none"]), "miss")
        case "disk put": try await repeating(DiskRows.entries(["200", "10240", "none"]), "put, recorded")
        case "JPEG thumbnail": try decoding("ocean.jpg", JPEGDecoder(), side: 256)
        case "PNG decode": try decoding("glass.png", PNGDecoder())
        case "GIF frame": try decodingGIF()
        case "resize": try resizing()
        case "local load": loading()
        default: throw BenchmarkError("no path \(path)")
        }
    }

    private static func repeating(_ contest: Contest, _ side: String) throws -> () async throws -> Void {
        guard let work = contest.sides[side] else { throw BenchmarkError("no side \(side)") }
        return { try await work(1) }
    }

    private static func makeKeys() throws -> () async throws -> Void {
        let urls = (0..<500).compactMap { URL(string: "https://images.example.com/\(1_000 + $0)/800.jpg?width=64") }
        return {
            for url in urls { try check(!ImageRequest(url: url).fitting(width: 64, height: 64).key.source.isEmpty) }
        }
    }

    private static func decoding(
        _ name: String, _ decoder: any ImageDecoder, side: Int? = nil
    ) throws -> () async throws -> Void {
        let bytes = try sample(name)
        var context = DecodeContext()
        if let side { context.options.size = .fit(PixelSize(width: side, height: side)) }
        return { _ = try decoder.decode(bytes, context: context) }
    }

    private static func decodingGIF() throws -> () async throws -> Void {
        let pixels = try JPEGDecoder().decode(try sample("ocean.jpg"), context: DecodeContext()).pixels
        let gif = try GIFEncoder().encode(pixels, as: .gif, options: EncodeOptions())
        return { _ = try GIFDecoder().decode(gif, context: DecodeContext()) }
    }

    private static func resizing() throws -> () async throws -> Void {
        let pixels = try JPEGDecoder().decode(try sample("ocean.jpg"), context: DecodeContext()).pixels
        let transformer = ResizeTransformer(to: PixelSize(width: 320, height: 213), mode: .stretch)
        return { _ = try transformer.transform(pixels) }
    }

    private static func loading() -> () async throws -> Void {
        let pipeline = ImagePipeline(.standard(memory: nil, disk: nil))
        let request = ImageRequest(url: sampleURL("ocean.jpg")).fitting(width: 256, height: 256)
        return { _ = try await pipeline.image(for: request) }
    }

    private static func sampleURL(_ name: String, here: String = #filePath) -> URL {
        let package = (0..<3).reduce(URL(filePath: here)) { url, _ in url.deletingLastPathComponent() }
        return package.appending(path: "Sources/CTintypeSamples/Samples/\(name)")
    }

    private static func sample(_ name: String) throws -> Data { try Data(contentsOf: sampleURL(name)) }
}
