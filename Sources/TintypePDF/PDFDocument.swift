import CTintypePDF
import Foundation
import TintypeCore

/// An open document. Used by one thread.
struct PDFDocument: ~Copyable {
    private let document: OpaquePointer

    /// - Throws: The errors of ``PDFLibrary``.
    init(_ bytes: Data) throws(TintypeError) {
        document = try PDFLibrary.standard.get().open(bytes)
    }

    deinit {
        tintype_pdf_close(document)
    }

    var pageCount: Int { Int(tintype_pdf_page_count(document)) }

    /// Returns the size of a page in whole points, rounded up. It exceeds every limit if the stated size is invalid.
    ///
    /// - Throws: ``TintypeError/Code/noSuchFrame``.
    func size(ofPage page: Int) throws(TintypeError) -> PixelSize {
        var (width, height) = (0.0, 0.0)
        let status = tintype_pdf_get_page_size(document, Int32(clamping: page), &width, &height)
        guard status == .ok else { throw PDFLibrary.error(status) }
        return PixelSize(width: Self.wholePixels(width), height: Self.wholePixels(height))
    }

    /// Rounds a side up, and clamps it to 0…10⁹; NaN and infinity become 0.
    private static func wholePixels(_ side: Double) -> Int {
        side.isFinite ? Int(min(max(side.rounded(.up), 0), 1e9)) : 0
    }

    /// Draws a part of a page.
    ///
    /// - Parameters:
    ///   - part: The part in pixels of the page, one a point.
    ///   - size: The size of the result in pixels.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/noSuchFrame``.
    func draw(_ part: PixelRect, ofPage page: Int, _ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        let whole = try self.size(ofPage: page)
        let across = Double(size.width) / Double(part.size.width)
        let down = Double(size.height) / Double(part.size.height)
        let place = tintype_pdf_place(
            x: -Double(part.x) * across, y: -Double(part.y) * down, width: Double(whole.width) * across,
            height: Double(whole.height) * down)
        var writer = try PixelWriter(size: size)
        writer.clear()
        let stride = writer.bytesPerRow
        let status = writer.withRows { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_pdf_draw(
                    document, Int32(clamping: page), $0, stride, UInt32(size.width), UInt32(size.height), place)
            }
        }
        guard status == .ok else { throw PDFLibrary.error(status) }
        return writer.finish()
    }
}
