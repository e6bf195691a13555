import Foundation
import TintypeCore

/// Times transforms for `scripts/bench/compare-transforms`. One request at a time, so that the script can alternate
/// between programs.
///
/// Arguments: a file of straight RGBA rows, its width and its height in pixels. Each line of standard input is the name
/// of a transform, and the program prints its time in milliseconds. `write NAME FILE` writes the straight RGBA rows of
/// a result and prints its size.
@main
struct TransformTimings {
    let straight: [UInt8]
    let size: PixelSize
    let pixels: PixelBuffer

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let width = Int(arguments[2]), let height = Int(arguments[3]) else {
            throw TintypeError(.invalidSource, stage: .request, "usage: TransformTimings FILE WIDTH HEIGHT")
        }
        let timings = try TransformTimings(arguments[1], PixelSize(width: width, height: height))
        while let line = readLine() {
            print(try timings.answer(line.split(separator: " ").map(String.init)))
            fflush(nil)
        }
    }

    init(_ path: String, _ size: PixelSize) throws {
        straight = try [UInt8](Data(contentsOf: URL(filePath: path)))
        self.size = size
        var writer = try Self.writer(straight, size)
        writer.premultiply(rows: size.height)
        pixels = writer.finish()
    }

    private func answer(_ words: [String]) throws -> String {
        if words.count == 3, words[0] == "write" { return try write(words[1], to: words[2]) }
        switch words.first {
        case "premultiply": return try timeOfPremultiplying()
        case "memcpy": return timeOfCopying()
        case "steps": return try timeOfSteps()
        case let name?:
            let transformer = try Self.transformer(name)
            return try Self.milliseconds { _ = try transformer.transform(pixels) }
        case nil: return ""
        }
    }

    private static func transformer(_ name: String) throws -> any ImageTransformer {
        switch name {
        case "resize": ResizeTransformer(to: PixelSize(width: 320, height: 240), mode: .stretch)
        case "blur2": BlurTransformer(radius: 2)
        case "blur64": BlurTransformer(radius: 64)
        case "rotate30": RotateTransformer(degrees: 30)
        case "rotate90": RotateTransformer(degrees: 90)
        case "grey": ColorTransformer(.grey)
        case "invert": ColorTransformer(.inverted)
        case "flip": FlipTransformer(horizontal: true)
        case "crop": CropTransformer(to: PixelRect(x: 500, y: 400, size: PixelSize(width: 2000, height: 1500)))
        case "flatten": FlattenTransformer(on: .white)
        case "chain": TransformerChain(steps)
        default: throw TintypeError(.invalidSource, stage: .request, "unknown transform: \(name)")
        }
    }

    /// The steps of a chain that runs in one pass.
    private static let steps: [any ImageTransformer] = [
        TintTransformer(Color(red: 200, green: 120, blue: 40, alpha: 64), mode: .normal),
        RoundCornersTransformer(radius: 80), FlattenTransformer(on: .white),
    ]

    private func timeOfSteps() throws -> String {
        try Self.milliseconds {
            _ = try Self.steps.reduce(pixels) { pixels, step in try step.transform(pixels) }
        }
    }

    private func timeOfPremultiplying() throws -> String {
        var writer = try Self.writer(straight, size)
        return Self.milliseconds { writer.premultiply(rows: size.height) }
    }

    /// Times copying as many bytes as premultiplying reads and writes, in memory that was touched before.
    private func timeOfCopying() -> String {
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: straight.count, alignment: 64)
        defer { target.deallocate() }
        return straight.withUnsafeBytes { source in
            target.copyMemory(from: source)
            return Self.milliseconds { target.copyMemory(from: source) }
        }
    }

    private func write(_ name: String, to path: String) throws -> String {
        let result = try Self.transformer(name).transform(pixels).unpremultiplied()
        var rows = Data()
        for y in 0..<result.size.height { result.withUnsafeRow(y) { rows.append(contentsOf: $0) } }
        try rows.write(to: URL(filePath: path))
        return "\(result.size.width) \(result.size.height)"
    }

    private static func writer(_ straight: [UInt8], _ size: PixelSize) throws -> PixelWriter {
        var writer = try PixelWriter(size: size)
        let (stride, length) = (writer.bytesPerRow, size.width * PixelBuffer.bytesPerPixel)
        writer.withRows { rows in
            for y in 0..<size.height {
                for x in 0..<length { rows[y * stride + x] = straight[y * length + x] }
            }
        }
        return writer
    }

    private static func milliseconds(_ body: () throws -> Void) rethrows -> String {
        let time = try ContinuousClock().measure(body)
        return "\(time / .milliseconds(1))"
    }
}
