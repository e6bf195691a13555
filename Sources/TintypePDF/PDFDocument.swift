import CTintypePDF
import Foundation
import TintypeCore

/// An open document. Used by one thread.
struct PDFDocument: ~Copyable {
    private let document: OpaquePointer

    /// - Throws: The errors of ``PDFLibrary``.
    init(_ bytes: Data) throws(TintypeError) {
        document = try PDFLibrary.open(bytes)
    }

    deinit {
        tintype_pdf_close(document)
    }

    var pageCount: Int { Int(tintype_pdf_page_count(document)) }

    /// Returns the size of a page in points, which may be invalid.
    ///
    /// - Throws: `TintypeError.Code.noSuchFrame`.
    func size(ofPage page: Int) throws(TintypeError) -> DrawingSize {
        var size = DrawingSize(width: 0, height: 0)
        let status = tintype_pdf_get_page_size(document, Int32(clamping: page), &size.width, &size.height)
        guard status == .ok else { throw TintypeError(status) }
        return size
    }

    /// Draws a part of a page.
    ///
    /// - Parameters:
    ///   - placement: Where the page lies in the result.
    ///   - size: The size of the result in pixels.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`,
    ///   `TintypeError.Code.noSuchFrame`.
    func draw(page: Int, _ placement: VectorPlacement, _ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        let target = tintype_pdf_placement(
            x: placement.x, y: placement.y, width: placement.width, height: placement.height)
        var writer = try PixelWriter(size: size)
        writer.clear()
        let stride = writer.bytesPerRow
        let status = writer.withRows { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_pdf_draw(
                    document, Int32(clamping: page), $0, stride, UInt32(size.width), UInt32(size.height), target)
            }
        }
        guard status == .ok else { throw TintypeError(status ?? .corrupt) }
        writer.convertFromCairo()
        return writer.finish()
    }
}
