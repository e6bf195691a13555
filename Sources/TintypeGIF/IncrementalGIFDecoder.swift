import Foundation
import TintypeCore

/// Decodes a GIF while it arrives: its first image row by row or pass by pass, then complete images.
///
/// Used by one thread at a time. The lock only makes the type `Sendable` and is never contended.
final class IncrementalGIFDecoder: IncrementalImageDecoder {
    private let context: DecodeContext
    private let completeImages: IncrementalAnimation
    private let firstImage = Locked(GIFFirstImage.head(Data()))

    init(_ context: DecodeContext) {
        self.context = context
        completeImages = IncrementalAnimation(decoder: GIFDecoder(), context: context)
    }

    /// Takes the next bytes; returns the image as far as it has arrived, or `nil` if that is no more than before.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`.
    func append(_ bytes: Data) throws(TintypeError) -> Image? {
        if let image = try completeImages.append(bytes) {
            firstImage.withLock { $0 = .done }
            return image
        }
        let context = context
        guard let arrived = try firstImage.withLock({ first throws(TintypeError) in try first.append(bytes, context) })
        else { return nil }
        return try GIFDecoder().salvageAnimation(Data(), context: context) { _, _ in arrived }
    }
}

/// The state of the first image of a GIF that is arriving.
enum GIFFirstImage: Sendable {
    /// The bytes so far end before the image data begins.
    case head(Data)
    case arriving(GIFArrivingImage, GIFLayout)
    /// The image is complete, or cannot be shown before it is.
    case done

    /// Takes the next bytes of the file.
    ///
    /// - Returns: The image as far as it has arrived; `nil` if that is no more than before.
    mutating func append(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        switch self {
        case .done: return nil
        case .head(let head):
            self = try Self.begin(head + bytes, context)
            guard case .arriving(let image, let layout) = self, image.hasRows else { return nil }
            return try Self.makeFrame(image, layout)
        case .arriving(var image, let layout):
            // Releases the second reference, so that its buffers are not copied.
            self = .done
            let hasMore = image.append(bytes)
            self = .arriving(image, layout)
            return hasMore ? try Self.makeFrame(image, layout) : nil
        }
    }

    private static func begin(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> GIFFirstImage {
        let layout = try GIFDecoder().readLayout(bytes, context) { raw throws(TintypeError) in
            try GIFLayout(arrived: raw, maxImages: context.limits.frames, acceptsTruncatedImage: true)
        }
        guard let layout, let image = layout.images.first else { return .head(bytes) }
        guard let arriving = bytes.withUnsafeBytes({ GIFArrivingImage($0, image) }) else { return .done }
        return .arriving(arriving, layout)
    }

    private static func makeFrame(
        _ image: GIFArrivingImage, _ layout: GIFLayout
    ) throws(TintypeError) -> ArrivedFrames {
        ArrivedFrames(
            info: GIFSummary(layout).info(playCount: layout.playCount, layout.warnings),
            decoder: GIFArrivedRows(layout, pixels: try image.pixels()))
    }
}

/// A decoder whose only frame is the arrived part of the first image.
private final class GIFArrivedRows: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let pixels: PixelBuffer

    init(_ layout: GIFLayout, pixels: PixelBuffer) {
        (canvasSize, loopCount) = (layout.canvasSize, layout.playCount)
        frames = layout.images.prefix(1).map { image in
            var frame = image.frame
            // Missing rows are transparent.
            frame.hasAlpha = true
            return frame
        }
        self.pixels = pixels
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        pixels
    }
}
