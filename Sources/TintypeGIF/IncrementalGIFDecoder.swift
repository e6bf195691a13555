import Foundation
import TintypeCore

/// Shows a GIF while it arrives: its first image row by row or pass by pass, then whole images.
///
/// Used by one thread at a time: the lock is there to say so to the compiler, and is never waited for.
final class IncrementalGIFDecoder: IncrementalImageDecoder {
    private let context: DecodeContext
    private let images: IncrementalAnimation
    private let first = Locked(GIFFirstImage.head(Data()))

    init(_ context: DecodeContext) {
        self.context = context
        images = IncrementalAnimation(decoder: GIFDecoder(), context: context)
    }

    func append(_ bytes: Data) throws(TintypeError) -> Image? {
        if let image = try images.append(bytes) {
            first.withLock { $0 = .done }
            return image
        }
        let context = context
        guard let arrived = try first.withLock({ first throws(TintypeError) in try first.append(bytes, context) })
        else { return nil }
        return try GIFDecoder().salvageAnimation(Data(), context: context) { _, _ in arrived }
    }
}

/// What is known of the first image of a GIF that is arriving.
enum GIFFirstImage: Sendable {
    /// The bytes so far, which end before its codes begin.
    case head(Data)
    case arriving(GIFArrivingImage, GIFLayout)
    /// It is there, or cannot be shown before it is.
    case done

    /// Takes the next bytes of the file.
    ///
    /// - Returns: the image as far as it is there; `nil` where that is no more than before.
    mutating func append(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        switch self {
        case .done: return nil
        case .head(let head):
            self = try Self.begin(head + bytes, context)
            guard case .arriving(let image, let layout) = self, image.hasRows else { return nil }
            return try Self.frame(image, layout)
        case .arriving(var image, let layout):
            // So that what it holds is not copied.
            self = .done
            let hasMore = image.append(bytes)
            self = .arriving(image, layout)
            return hasMore ? try Self.frame(image, layout) : nil
        }
    }

    private static func begin(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> GIFFirstImage {
        let layout = try GIFDecoder().layout(bytes, context) { raw throws(TintypeError) in
            try GIFLayout(arrived: raw, maximumImages: context.limits.frames, keepsCutImage: true)
        }
        guard let layout, let image = layout.images.first else { return .head(bytes) }
        guard let arriving = bytes.withUnsafeBytes({ GIFArrivingImage($0, image) }) else { return .done }
        return .arriving(arriving, layout)
    }

    private static func frame(_ image: GIFArrivingImage, _ layout: GIFLayout) throws(TintypeError) -> ArrivedFrames {
        ArrivedFrames(
            info: GIFSummary(layout).info(playCount: layout.playCount),
            decoder: GIFArrivedRows(layout, pixels: try image.pixels()))
    }
}

/// The part of a first image that is there, as the only frame.
private final class GIFArrivedRows: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let pixels: PixelBuffer

    init(_ layout: GIFLayout, pixels: PixelBuffer) {
        (canvasSize, loopCount) = (layout.canvasSize, layout.playCount)
        frames = layout.images.prefix(1).map { image in
            var frame = image.frame
            // Rows that are not there are not to be seen.
            frame.hasAlpha = true
            return frame
        }
        self.pixels = pixels
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        pixels
    }
}
