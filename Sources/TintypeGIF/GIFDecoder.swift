import CTintypeGIF
public import Foundation
public import TintypeCore

/// Decodes GIF (Graphics Interchange Format, 87a and 89a) with giflib, animations too.
///
/// Where a file names a background colour, nothing is shown: as in every browser.
public struct GIFDecoder: ProgressiveAnimationDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.gif] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            try GIFSummary.info(raw, isComplete: isComplete, maximumImages: Self.mostImages)
        }
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try animatedImage(bytes, info: Self.info(layout(bytes, context)), context: context)
    }

    public func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        GIFFrameDecoder(bytes, try layout(bytes, context))
    }

    public func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let layout = try layout(bytes, context) { raw throws(TintypeError) in
            try GIFLayout(arrived: raw, maximumImages: context.limits.frames)
        }
        return layout.map { ArrivedFrames(info: Self.info($0), decoder: GIFFrameDecoder(bytes, $0)) }
    }

    /// What a whole file says of itself, within the limits.
    private func layout(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> GIFLayout {
        let layout = try layout(bytes, context) { raw throws(TintypeError) in
            try GIFLayout(raw, isComplete: true, maximumImages: context.limits.frames)
        }
        guard let layout else { throw .truncatedGIF }
        try context.limits.check(ImageInfo(format: .gif, size: layout.canvasSize), byteCount: bytes.count)
        return layout
    }

    func layout(
        _ bytes: Data, _ context: DecodeContext,
        _ read: (UnsafeRawBufferPointer) throws(TintypeError) -> GIFLayout?
    ) throws(TintypeError) -> GIFLayout? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let canvas = try? GIFBlocks(raw).canvasSize else { return nil }
            // The canvas first: nothing is noted of the images of one that is too large.
            try context.limits.check(ImageInfo(format: .gif, size: canvas))
            guard let layout = try read(raw) else { return nil }
            try context.limits.check(layout.images.map(\.frame), canvas: canvas)
            return layout
        }
    }

    public func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalGIFDecoder(context)
    }

    private static func info(_ layout: GIFLayout) -> ImageInfo {
        GIFSummary(layout).info(playCount: layout.playCount)
    }

    /// Images that are counted at all, where no limits are given.
    private static let mostImages = 100_000
}

extension GIFDecoder: SalvagingImageDecoder {
    /// The images before the damage, and the rows that there are of the one that it is in.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvageAnimation(bytes, context: context) { bytes, context throws(TintypeError) in
            let layout = try layout(bytes, context) { raw throws(TintypeError) in
                try GIFLayout(arrived: raw, maximumImages: context.limits.frames, keepsCutImage: true)
            }
            return layout.map { layout in
                ArrivedFrames(
                    info: GIFSummary(layout).info(playCount: layout.playCount),
                    decoder: GIFFrameDecoder(bytes, layout, toleratesDamage: true))
            }
        }
    }
}

extension TintypeError {
    static let truncatedGIF = TintypeError(.undecodable, stage: .decode, "the GIF is cut short")

    static func damagedGIF(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the GIF is damaged: \(reason)")
    }

    static func tooManyImages(_ most: Int) -> TintypeError {
        exceeded(.frames, "a GIF of more than \(most) frames")
    }

    /// `nil` when all is well.
    init?(_ status: tintype_gif_status) {
        switch status {
        case .ok: return nil
        case .cancelled: self = .cancelled
        case .memory: self.init(.outOfMemory, stage: .decode, "no memory to decode a GIF")
        case .corrupt: self = .damagedGIF("its compressed pixels make no sense")
        }
    }
}
