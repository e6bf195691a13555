import Foundation

@testable import TintypeCore

/// A decoder that has every ability, and whose images have the sizes that their bytes say: it stands for all formats.
struct PlainDecoder: ProgressiveAnimationDecoder, LimitedInfoDecoder, VerifyingImageDecoder, ImageCollectionDecoder,
    SalvagingImageDecoder, XMPDecoder, SandboxableImageDecoder
{
    static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    var formats: Set<ImageFormat> { [.bmp] }

    private func size(_ bytes: Data) throws(TintypeError) -> PixelSize {
        guard bytes.count > 2 else { throw TintypeError(.undecodable, stage: .decode, "too short") }
        let (first, second) = (Int(bytes[bytes.startIndex]), Int(bytes[bytes.startIndex + 1]))
        return PixelSize(width: 1 + 2 * first, height: 1 + second)
    }

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete || bytes.count > 2 else { return nil }
        return ImageInfo(format: .bmp, size: try size(bytes))
    }

    func info(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo? {
        try info(of: bytes, isComplete: true)
    }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let size = try size(bytes)
        let rows = try Self.pixels(PixelSize(width: 2 * size.width, height: size.height))
        let frames =
            bytes.count > 8
            ? try AnimatedImage(
                bytes, decoder: self, info: ImageInfo(format: .bmp, size: size, frameCount: 3), context: context) : nil
        return Image(
            pixels: try Self.pixels(size), info: ImageInfo(format: .bmp, size: size), scale: context.options.scale ?? 1,
            animation: frames, highRange: context.options.range == .high ? HighRangePixels(rows: rows) : nil)
    }

    func verifiedInfo(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo? {
        try info(of: bytes, isComplete: true)
    }

    func verifyImages(in bytes: Data, context: DecodeContext) throws(TintypeError) {
        _ = try size(bytes)
    }

    func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        bytes.count < 2 ? nil : try decode(bytes, context: context)
    }

    func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data? {
        bytes.count < 2 ? nil : bytes.prefix(max(0, limits.exifBytes))
    }

    func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        PlainFrames(try size(bytes), count: 3)
    }

    func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        guard bytes.count > 2 else { return nil }
        return ArrivedFrames(
            info: ImageInfo(format: .bmp, size: try size(bytes)), decoder: PlainFrames(try size(bytes), count: 2))
    }

    func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? { PlainPreviews() }

    static func pixels(_ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        writer.clear()
        return writer.finish()
    }
}

private final class PlainFrames: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount = 0
    let frames: [AnimationFrame]

    init(_ size: PixelSize, count: Int) {
        canvasSize = size
        frames = Array(
            repeating: AnimationFrame(rect: PixelRect(x: 0, y: 0, size: size), duration: 0.1, blend: .source),
            count: count)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        try PlainDecoder.pixels(canvasSize)
    }
}

private final class PlainPreviews: IncrementalImageDecoder {
    func append(_ bytes: Data) throws(TintypeError) -> Image? {
        bytes.count < 4 ? nil : try PlainDecoder().decode(bytes.prefix(3), context: DecodeContext())
    }
}
