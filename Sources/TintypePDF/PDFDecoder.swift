package import Foundation
public import TintypeCore

extension ImageFormat {
    /// PDF (ISO 32000), of which a page is an image. Its nominal size is one pixel per point (1/72 inch).
    public static let pdf = ImageFormat(
        rawValue: "pdf", mediaType: "application/pdf", fileExtensions: ["pdf"], isVector: true)
}

extension ImageCoderRegistry {
    /// The decoder of PDF.
    public static let pdf = ImageCoderRegistry(decoders: [PDFDecoder()])
}

/// Draws a page of a PDF at the requested size, over white, with poppler-glib.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(.pdf).sandboxed()
///
/// poppler is licensed under the GNU General Public License, version 2 or 3, which then also applies to a program that
/// is distributed with it. The library is loaded when the first PDF is decoded: install `libpoppler-glib8` on Debian,
/// `poppler-glib` on Fedora.
///
/// poppler offers no cancellation, and no limit on the memory and time that the contents of a page need. Documents of
/// strangers belong in a worker process (`sandboxed()` of `TintypeSandbox`), where the kernel limits both. Decoders
/// hold no state; any thread may use one.
package struct PDFDecoder: RecognizingImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// The PDF format.
    package var formats: Set<ImageFormat> { [.pdf] }

    /// A worker that reads fonts.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation, .fonts] }

    /// Loads poppler-glib.
    package static func prepareWorker() {
        _ = PDFLibrary.standard
    }

    /// The number of bytes to recognize a PDF by: the header is within the first 1024 bytes (ISO 32000-1, H.3,
    /// implementation note 13).
    package var headLength: Int { 1024 }

    /// Whether the header of a PDF is among the first bytes, and they do not begin like another image or like XML,
    /// which may contain the same text in a comment.
    package func recognizes(_ head: Data) -> Bool {
        head.range(of: Data("%PDF-".utf8)) != nil && FormatSniffer.format(of: head) == nil && !FormatSniffer.isXML(head)
    }

    /// Returns the number of pages of a document.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.noCoder` if poppler-glib is not installed,
    ///   `TintypeError.Code.outOfMemory`.
    package static func pageCount(of bytes: Data) throws(TintypeError) -> Int { try PDFDocument(bytes).pageCount }

    /// Reads the size of the first page.
    ///
    /// - Returns: `nil` if `isComplete` is false.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.noCoder` if poppler-glib is not installed,
    ///   `TintypeError.Code.outOfMemory`.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return Self.info(try PDFDocument(bytes).size(ofPage: 0))
    }

    /// Draws the page that ``DecodeOptions/page`` names, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`, before anything is allocated
    ///   for the result, `TintypeError.Code.noSuchFrame` for a page that does not exist,
    ///   `TintypeError.Code.transformFailed` if the crop lies outside the page, `TintypeError.Code.noCoder` if
    ///   poppler-glib is not installed, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try context.checkCancelled()
        let options = context.options
        let document = try PDFDocument(bytes)
        let page = try document.size(ofPage: options.page)
        let info = Self.info(page)
        let part = options.crop?.clipped(to: info.size)
        if let crop = options.crop, part == nil, info.size.isPositive {
            throw TintypeError(
                .transformFailed, stage: .decode, "crop(\(crop)) lies outside the page of \(info.size)")
        }
        let size = options.target(for: info)
        try context.limits.check(ImageInfo(format: .pdf, size: size))
        // The result, and the groups in which poppler draws transparent parts of the page.
        try context.limits.checkMemory(bytesPerPixel: 4 * PixelBuffer.bytesPerPixel, of: size)
        let placement = try VectorPlacement(of: part, in: page, at: size)
        let pixels = try document.draw(page: options.page, placement, size)
        try context.checkCancelled()
        return Image(pixels: pixels, info: info, scale: options.scale ?? 1)
    }

    private static func info(_ page: DrawingSize) -> ImageInfo {
        ImageInfo(format: .pdf, drawing: page, density: PixelDensity(across: 72, down: 72))
    }
}
