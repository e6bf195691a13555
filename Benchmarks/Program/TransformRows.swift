import Foundation
import Tintype
import TintypeCore

/// Transforms of an RGBA image.
enum TransformRows {
    /// Arguments: a file of straight RGBA rows, its width and its height in pixels, and the name of a transform.
    static func transform(_ arguments: [String]) throws -> Contest {
        let straight = [UInt8](try arguments.bytes(0)), name = try arguments.argument(3)
        let size = PixelSize(width: try arguments.number(1), height: try arguments.number(2))
        var contest = Contest()
        if name == "premultiply" {
            let target = UnsafeMutableRawBufferPointer.allocate(byteCount: straight.count, alignment: 64)
            let rows = Rows(try writer(straight, size))
            // Premultiplying what is premultiplied takes the same time: there are no branches on values.
            contest.add("ours") { rows.writer.premultiply(rows: size.height) }
            contest.add("memcpy") { straight.withUnsafeBytes { target.copyMemory(from: $0) } }
            return contest
        }
        let pixels = try pixels(straight, size)
        if name == "unpremultiply" {
            contest.add("ours") { _ = try pixels.unpremultiplied() }
            return contest
        }
        let transformer = try transformer(name)
        contest.add("ours") { _ = try transformer.transform(pixels) }
        if name == "chain" {
            contest.add("steps") { _ = try steps.reduce(pixels) { try $1.transform($0) } }
        }
        contest.outputs["ours"] = { try transformer.transform(pixels).writeStraight(to: $0) }
        return contest
    }

    /// Rows that are changed in place.
    private final class Rows {
        var writer: PixelWriter

        init(_ writer: consuming PixelWriter) {
            self.writer = writer
        }
    }

    static func pixels(_ straight: [UInt8], _ size: PixelSize) throws -> PixelBuffer {
        var writer = try writer(straight, size)
        writer.premultiply(rows: size.height)
        return writer.finish()
    }

    /// The steps of a chain that runs in one pass.
    private static let steps: [any ImageTransformer] = [
        TintTransformer(Color(red: 200, green: 120, blue: 40, alpha: 64), mode: .normal),
        RoundCornersTransformer(radius: 80), FlattenTransformer(on: .white),
    ]

    static func transformer(_ name: String) throws -> any ImageTransformer {
        switch name {
        case "resize": ResizeTransformer(to: PixelSize(width: 320, height: 240), mode: .stretch)
        case "halve": ResizeTransformer(to: PixelSize(width: 2048, height: 1536), mode: .stretch)
        case "blur2": BlurTransformer(radius: 2)
        case "blur30": BlurTransformer(radius: 30)
        case "blur64": BlurTransformer(radius: 64)
        case "rotate30": RotateTransformer(degrees: 30)
        case "rotate90": RotateTransformer(degrees: 90)
        case "grey": ColorTransformer(.grey)
        case "invert": ColorTransformer(.inverted)
        case "sepia": ColorTransformer(.sepia)
        case "sharpen": SharpenTransformer(radius: 2)
        case "flip": FlipTransformer(horizontal: true)
        case "crop": CropTransformer(to: PixelRect(x: 500, y: 400, size: PixelSize(width: 2000, height: 1500)))
        case "flatten": FlattenTransformer(on: .white)
        case "chain": TransformerChain(steps)
        default: throw BenchmarkError("unknown transform: \(name)")
        }
    }

    private static func writer(_ straight: [UInt8], _ size: PixelSize) throws -> PixelWriter {
        try check(straight.count == 4 * size.area, "the file has another size")
        var writer = try PixelWriter(size: size)
        let (stride, length) = (writer.bytesPerRow, size.width * PixelBuffer.bytesPerPixel)
        writer.withRows { rows in
            for y in 0..<size.height {
                for x in 0..<length { rows[y * stride + x] = straight[y * length + x] }
            }
        }
        return writer
    }
}
