package import Foundation
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of SVG.
    public static let svg = ImageCoderRegistry(decoders: [SVGDecoder()])
}

/// Draws SVG (SVG 1.1, and what librsvg supports of SVG 2) at the requested size.
///
/// External resources are not loaded and scripts do not run. A requested size may exceed the size of the document. If
/// there is a crop, only the crop is drawn, at the size requested for it or else at its size in the document.
///
/// librsvg cannot be cancelled and bounds neither memory nor time, so documents of strangers belong in a worker process
/// (`TintypeSandbox`), where the kernel does. Decoders hold no state; any thread may use one.
package struct SVGDecoder: PartialImageDecoder, SandboxableImageDecoder {
    /// Creates an SVG decoder.
    package init() {}

    /// A worker that reads fonts.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation, .fonts] }

    /// Loads librsvg, and what it loads for text, filters and embedded images.
    package static func prepareWorker() {
        for document in SVGWarmUp.documents {
            _ = try? SVGDecoder().decode(document, context: DecodeContext(options: DecodeOptions(size: SVGWarmUp.size)))
        }
    }

    /// The formats that this decoder reads: SVG.
    package var formats: Set<ImageFormat> { [.svg] }

    /// Reads the size of the document.
    ///
    /// - Returns: `nil` if `isComplete` is false.
    /// - Throws: `TintypeError.Code.undecodable` if the document is damaged, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.noCoder` if librsvg is not installed, `TintypeError.Code.outOfMemory`.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return Self.info(try SVGDocument(markup: try SVGSource.markup(bytes, limit: SVGSource.limit(DecodeLimits()))))
    }

    /// Draws the document, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the document is damaged, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.transformFailed` if the crop lies outside the image, `TintypeError.Code.noCoder` if
    ///   librsvg is not installed, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try context.checkCancelled()
        let limit = SVGSource.limit(context.limits)
        let images = EmbeddedImages(in: try SVGSource.markup(bytes, limit: limit), limit: limit, context.limits)
        let document = try SVGDocument(markup: images.markup)
        var info = Self.info(document)
        if images.hasLost {
            guard context.options.damageTolerance == .minor else {
                throw TintypeError(.undecodable, stage: .decode, "an image in the SVG cannot be drawn")
            }
            info.warnings = [.embeddedImage]
        }
        let part = try Self.part(info, context.options.crop)
        let size = context.options.target(for: info)
        try context.limits.check(ImageInfo(format: .svg, size: size))
        try context.checkCancelled()
        let pixels = try document.draw(part, size)
        try context.checkCancelled()
        return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
    }

    /// Returns the part of the document to draw; `nil` for all of it.
    private static func part(_ info: ImageInfo, _ crop: PixelRect?) throws(TintypeError) -> PixelRect? {
        // A document may state an empty or huge size; then the limits decide.
        guard let crop, info.size.isPositive else { return nil }
        guard let part = crop.clipped(to: info.size) else {
            throw TintypeError(
                .transformFailed, stage: .decode, "crop(\(crop)) lies outside the image of \(info.size)")
        }
        return part
    }

    private static func info(_ document: borrowing SVGDocument) -> ImageInfo {
        ImageInfo(format: .svg, drawing: document.size, hasAlpha: true)
    }
}

/// Drawings that make librsvg and the libraries below it load what they load only once.
private enum SVGWarmUp {
    static let size = DecodeOptions.Size.fit(PixelSize(width: 8, height: 8))

    /// A text; a filter; an embedded PNG, GIF and SVG, whose loaders are modules of gdk-pixbuf.
    static let documents = [
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><text y="8" font-size="8">a</text>\
        <filter id="f"><feGaussianBlur stdDeviation="1"/></filter><path d="M0 0h8v8z" filter="url(#f)"/>\
        <image width="1" height="1" href="data:image/png;base64,\(pixel)"/>\
        <image width="1" height="1" href="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="/>\
        <image width="1" height="1" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"/></svg>
        """
    ].map { Data($0.utf8) }

    /// A PNG of one pixel.
    private static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
