package import Foundation
package import TintypeCore

extension ImageFormat {
    /// The format of ``LateDecoder``.
    package static let late = ImageFormat(rawValue: "late")
}

/// A decoder that learns only after many bytes whether an image is an animation. Its pixels are a digest of the bytes
/// that have arrived.
package struct LateDecoder: ProgressiveAnimationDecoder, RecognizingImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// The format of this decoder.
    package var formats: Set<ImageFormat> { [.late] }

    private static let signature = "late:"
    private static let animation: UInt8 = 1

    /// Returns the bytes of an image. No two parts of them are equal.
    ///
    /// - Parameter isAnimated: Whether the last byte makes it an animation.
    package static func bytes(count: Int, isAnimated: Bool) -> Data {
        var state = UInt32(1)
        let noise = (signature.utf8.count..<count - 1).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24) & 0xFE
        }
        return Data(signature.utf8) + noise + [isAnimated ? animation : 0]
    }

    /// Whether bytes begin with the signature.
    package func recognizes(_ head: Data) -> Bool { head.starts(with: Data(Self.signature.utf8)) }

    /// Returns a constant.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { Self.info(1) }

    /// Returns the digest of the bytes.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        Image(pixels: try Self.pixels(bytes), info: Self.info(1))
    }

    /// Returns a decoder that shows the digest of the bytes so far.
    package func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        LatePreviews(self, context)
    }

    /// Returns two frames, each the digest of the bytes.
    package func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        LateFrames(try Self.pixels(bytes))
    }

    /// Returns two frames, each the digest of the bytes that have arrived.
    package func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        ArrivedFrames(info: Self.info(2), decoder: try makeFrameDecoder(bytes, context: context))
    }

    fileprivate static func isAnimated(_ bytes: Data) -> Bool { bytes.last == animation }

    fileprivate static func info(_ frameCount: Int) -> ImageInfo {
        ImageInfo(format: .late, size: PixelSize(width: 1, height: 1), frameCount: frameCount)
    }

    /// Returns an opaque pixel whose colour is a digest of bytes.
    package static func pixels(_ bytes: Data) throws(TintypeError) -> PixelBuffer {
        let digest = bytes.reduce(UInt32(bytes.count)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        var writer = try PixelWriter(size: PixelSize(width: 1, height: 1))
        writer.withRows { row in
            (row[0], row[1]) = (UInt8(digest >> 24), UInt8(truncatingIfNeeded: digest >> 16))
            (row[2], row[3]) = (UInt8(truncatingIfNeeded: digest >> 8), 255)
        }
        return writer.finish()
    }
}

private final class LatePreviews: IncrementalImageDecoder {
    private let decoder: LateDecoder
    private let context: DecodeContext
    private let bytes = Locked(Data())

    init(_ decoder: LateDecoder, _ context: DecodeContext) {
        (self.decoder, self.context) = (decoder, context)
    }

    func append(_ new: Data) throws(TintypeError) -> Image? {
        let all = bytes.withLock { bytes in
            bytes += new
            return bytes
        }
        guard LateDecoder.isAnimated(all) else { return try decoder.decode(all, context: context) }
        return try decoder.animatedImage(all, info: LateDecoder.info(2), context: context)
    }
}

private final class LateFrames: FrameDecoder {
    let canvasSize = PixelSize(width: 1, height: 1)
    let loopCount = 0
    let frames = [0.1, 0.1].map {
        AnimationFrame(rect: PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1)), duration: $0, blend: .source)
    }
    private let digest: PixelBuffer

    init(_ digest: PixelBuffer) {
        self.digest = digest
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        digest
    }
}
