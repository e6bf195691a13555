public import Foundation
public import TintypeCore

/// Draws SVG (SVG 1.1, and what librsvg supports of SVG 2) at the requested size.
///
/// External resources are not loaded and scripts do not run. A requested size may exceed the size of the document. If
/// there is a crop, only the crop is drawn, at the size requested for it or else at its size in the document. Decoders
/// hold no state; any thread may use one.
public struct SVGDecoder: PartialImageDecoder {
    /// Creates an SVG decoder.
    public init() {}

    /// The formats that this decoder reads: SVG.
    public var formats: Set<ImageFormat> { [.svg] }

    /// Reads the size of the document.
    ///
    /// - Returns: `nil` if `isComplete` is false.
    /// - Throws: ``TintypeError/Code/undecodable`` if the document is damaged, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/noCoder`` if librsvg is not installed, ``TintypeError/Code/outOfMemory`` while too many
    ///   abandoned drawings still run.
    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return try DecodeTime().run(isCancelled: { false }) { isCancelled throws(TintypeError) in
            try info(of: bytes, context: DecodeContext().cancelled(by: isCancelled))
        }
    }

    /// Draws the document, or the part and size that the options ask for, on a thread of its own.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if the document is damaged, ``TintypeError/Code/limitExceeded`` if
    ///   drawing would cost too much, ``TintypeError/Code/transformFailed`` if the crop lies outside the image,
    ///   ``TintypeError/Code/noCoder`` if librsvg is not installed, ``TintypeError/Code/outOfMemory`` while too many
    ///   abandoned drawings still run, ``TintypeError/Code/cancelled``.
    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try context.checkCancelled()
        let (options, limits) = (context.options, context.limits)
        let (pixels, info) = try SVGThreads.shared.run(isCancelled: context.isCancelled) {
            isAbandoned throws(TintypeError) in
            let document = try SVGDocument(bytes, limits, isAbandoned: isAbandoned)
            if isAbandoned() { throw .cancelled }
            let info = Self.info(document)
            let (part, size) = try Self.target(info, options)
            try limits.check(ImageInfo(format: .svg, size: size))
            return (try document.draw(part, size, limits, isCancelled: isAbandoned), info)
        }
        return Image(pixels: pixels, info: info, scale: options.scale ?? 1)
    }

    /// Returns the part of the document to draw and the size of the result.
    private static func target(
        _ info: ImageInfo, _ options: DecodeOptions
    ) throws(TintypeError) -> (part: PixelRect, size: PixelSize) {
        let whole = PixelRect(x: 0, y: 0, size: info.size)
        let part = options.crop ?? whole
        // A document may state an empty or huge size; then the limits decide.
        guard let shown = info.size.isPositive ? part.clipped(to: info.size) : whole else {
            throw TintypeError(
                .transformFailed, stage: .decode, "crop(\(part)) lies outside the image of \(info.size)")
        }
        return (shown, options.size.vectorTarget(for: shown.size))
    }

    private static func info(_ document: borrowing SVGDocument) -> ImageInfo {
        ImageInfo(format: .svg, size: document.size, hasAlpha: true)
    }
}

extension SVGDecoder: LimitedInfoDecoder {
    package func info(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo? {
        let limits = context.limits
        return try SVGThreads.shared.run(isCancelled: context.isCancelled) { isAbandoned throws(TintypeError) in
            Self.info(try SVGDocument(bytes, limits, isAbandoned: isAbandoned))
        }
    }
}
