/// The options, limits and cancellation check that a decoder receives in addition to the bytes.
public struct DecodeContext: Sendable {
    /// The requested part, size and kind of pixels.
    public var options: DecodeOptions
    /// The resources that decoding may use.
    public var limits: DecodeLimits
    /// Whether no caller waits for the image any longer. Decoders call it every few rows, from the threads that decode,
    /// and throw ``TintypeError/Code/cancelled`` if it returns `true`.
    public var isCancelled: @Sendable () -> Bool
    /// Whether the pipeline verifies all frames, and not only the first. Decoders need not know it.
    package var verifiesAllFrames = false
    /// The number of threads that the library of a format may use, with the calling one. A decoder may ignore it.
    package var threads = 1
    /// Whether another process ends this one at a cancellation and at the time limit, so that checks may be rare.
    package var isEndedByHost = false
    /// The origin of the image, if workers are replaced between images of different origins. Decoders need not know it.
    package var origin: String?

    /// Creates a context; by default the whole image at full size, with the default limits, not cancellable.
    public init(
        options: DecodeOptions = DecodeOptions(), limits: DecodeLimits = DecodeLimits(),
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.options = options
        self.limits = limits
        self.isCancelled = isCancelled
    }

    /// Checks for cancellation.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if no caller waits for the image any longer.
    public func checkCancelled() throws(TintypeError) {
        if isCancelled() { throw .cancelled }
    }

    /// Returns the same context with another cancellation check.
    package func cancelled(by isCancelled: @escaping @Sendable () -> Bool) -> DecodeContext {
        var context = self
        context.isCancelled = isCancelled
        return context
    }

    /// Returns the bytes per pixel of the ``HighRangePixels`` that a decoder makes in addition to the image.
    ///
    /// - Parameter isWide: Whether the source has more than 8 bits per channel. Others have no high range.
    package func highRangeBytesPerPixel(isWide: Bool) -> Int {
        isWide && options.range == .high ? HighRangePixels.bytesPerPixel : 0
    }
}

/// The part of the stored pixels that a decoder reads, and the size that it scales them to.
///
/// Both are in stored orientation, because a decoder applies the orientation last, after scaling has reduced the number
/// of pixels.
package struct DecodeTarget: Equatable, Sendable {
    /// The part of the stored image, in pixels, before the orientation is applied.
    package let part: PixelRect
    /// The size that the part is scaled to, in pixels, before the orientation is applied.
    package let size: PixelSize

    /// Computes the target of decode options for an image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the requested part lies outside the image.
    package init(_ info: ImageInfo, options: DecodeOptions) throws(TintypeError) {
        let options = try options.resolved(for: info)
        let whole = PixelRect(x: 0, y: 0, size: info.size)
        guard let shown = (options.crop ?? whole).clipped(to: info.size) else {
            throw .transformFailed("crop(\(options.crop ?? whole)) lies outside an image of \(info.size)")
        }
        part = info.orientation.stored(shown, in: info.size)
        size = info.orientation.displayed(options.size.target(for: shown.size))
    }

    /// Creates a target that scales a whole stored image to a size.
    package init(whole stored: PixelSize, size: PixelSize) {
        part = PixelRect(x: 0, y: 0, size: stored)
        self.size = size
    }

    /// Whether the target is the whole of a stored image, without scaling.
    package func isAll(of stored: PixelSize) -> Bool { part.size == stored && size == stored }
}
