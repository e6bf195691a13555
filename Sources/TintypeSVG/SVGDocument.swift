import CTintypeSVG
import Foundation
import TintypeCore

/// A complete document, loaded by librsvg. Used by one thread.
struct SVGDocument: ~Copyable {
    private let document: OpaquePointer

    /// Loads a document.
    ///
    /// - Throws: The errors of ``SVGLibrary``.
    init(markup: Data) throws(TintypeError) {
        document = try SVGLibrary.open(markup)
    }

    deinit {
        tintype_svg_close(document)
    }

    /// The size, which may be invalid.
    var size: DrawingSize {
        var size = DrawingSize(width: 0, height: 0)
        tintype_svg_get_size(document, &size.width, &size.height)
        return size
    }

    /// Draws a part of the document.
    ///
    /// - Parameters:
    ///   - part: The part in pixels of the document; `nil` for all of it.
    ///   - size: The size of the result in pixels.
    /// - Throws: `TintypeError.Code.limitExceeded`, `TintypeError.Code.undecodable`,
    ///   `TintypeError.Code.outOfMemory`.
    func draw(_ part: PixelRect?, _ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        let placement = try VectorPlacement(of: part, in: self.size, at: size)
        let target = tintype_svg_placement(
            x: placement.x, y: placement.y, width: placement.width, height: placement.height)
        var writer = try PixelWriter(size: size)
        writer.clear()
        let stride = writer.bytesPerRow
        let status = writer.withRows { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_svg_draw(document, $0, stride, UInt32(size.width), UInt32(size.height), target)
            }
        }
        switch status {
        case .ok:
            writer.convertFromCairo()
            return writer.finish()
        case .memory: throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to draw an SVG")
        // Off-screen images of such a size cannot be created.
        case .corrupt where max(placement.size.width, placement.size.height) > VectorPlacement.maximumSide:
            throw .exceeded(.library, "an SVG whose groups are drawn off-screen, at \(placement.size) pixels")
        case .corrupt, nil: throw TintypeError(.undecodable, stage: .decode, "the SVG cannot be drawn")
        }
    }
}
