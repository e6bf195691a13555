package import Foundation
package import TintypeCore

extension ImageFormat {
    /// The format of ``HostileDecoder``.
    package static let hostile = ImageFormat(rawValue: "hostile")
}

/// A decoder that misbehaves as its bytes name it. It stands for a codec library that hostile bytes have taken over.
package struct HostileDecoder: AnimatedImageDecoder, RecognizingImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// The format of this decoder.
    package var formats: Set<ImageFormat> { [.hostile] }

    private static let signature = "hostile:"

    /// Returns the bytes of an image.
    package static func bytes(_ behavior: Behavior) -> Data { Data((signature + behavior.rawValue).utf8) }

    /// Whether bytes begin with the signature.
    package func recognizes(_ head: Data) -> Bool { head.starts(with: Data(Self.signature.utf8)) }

    /// Returns a constant.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        ImageInfo(format: .hostile, size: PixelSize(width: 2, height: 2))
    }

    /// Misbehaves, and then returns four red pixels.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let name = String(decoding: bytes.dropFirst(Self.signature.count), as: UTF8.self)
        guard let behavior = Behavior(rawValue: name) else { throw TintypeError(.undecodable, stage: .decode, name) }
        try behavior.perform(context)
        return Image(pixels: try Self.pixels(), info: ImageInfo(format: .hostile, size: PixelSize(width: 2, height: 2)))
    }

    /// Returns three frames, of which the second ends the process.
    package func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        HostileFrames()
    }

    /// Four opaque red pixels.
    static func pixels() throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: PixelSize(width: 2, height: 2))
        writer.clear()
        for y in 0..<2 {
            writer.withRows(from: y) { row in
                for x in 0..<2 { (row[4 * x], row[4 * x + 3]) = (255, 255) }
            }
        }
        return writer.finish()
    }
}

/// Three frames, of which the second ends the process.
private final class HostileFrames: FrameDecoder {
    let canvasSize = PixelSize(width: 2, height: 2)
    let loopCount = 0
    let frames = [0.1, 0.1, 0.1].map {
        AnimationFrame(rect: PixelRect(x: 0, y: 0, size: PixelSize(width: 2, height: 2)), duration: $0, blend: .source)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        if index == 1 { abort() }
        return try HostileDecoder.pixels()
    }
}
