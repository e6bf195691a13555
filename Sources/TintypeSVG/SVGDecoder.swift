public import Foundation
public import TintypeCore

/// Draws SVG (SVG 1.1, and what librsvg knows of SVG 2) at the size that is asked for.
///
/// Nothing outside the document is loaded, and no script runs. An asked size is reached even where it is larger than the
/// document's own, and a part is drawn at its size: there are no pixels to run out of.
public struct SVGDecoder: PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.svg] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return Self.info(try SVGDocument(bytes, Self.anyLimits))
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try context.checkCancelled()
        let document = try SVGDocument(bytes, context.limits)
        let info = Self.info(document)
        let whole = PixelRect(x: 0, y: 0, size: info.size)
        let part = context.options.crop ?? whole
        // A document may call itself so large, or empty, that the limits have to tell.
        guard let shown = info.size.isPositive ? part.clipped(to: info.size) : whole else {
            throw TintypeError(
                .transformFailed, stage: .decode, "nothing of a picture of \(info.size) lies in crop(\(part))")
        }
        let target = context.options.size.vectorTarget(for: shown.size)
        try context.limits.check(ImageInfo(format: .svg, size: target))
        try document.cost.checkFilters(context.limits, drawing: target)
        try context.checkCancelled()
        let pixels = try SVGDrawing.run(document, shown, target, isCancelled: context.isCancelled)
        return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
    }

    /// Where no limits are given.
    private static let anyLimits = DecodeLimits()

    private static func info(_ document: borrowing SVGDocument) -> ImageInfo {
        ImageInfo(format: .svg, size: document.size, hasAlpha: true)
    }
}
