import CTintypeSVG
import Foundation
import TintypeCore

/// A complete document, loaded by librsvg. Used only on the thread of ``SVGThreads`` that loaded it.
struct SVGDocument: ~Copyable {
    private let document: OpaquePointer
    private let survey: SVGSurvey
    /// The number of pixels of all embedded documents together, which librsvg draws at their own size.
    private let embeddedArea: Double

    /// The largest document in bytes. Normal images stay far below it. Parsing takes many times as much memory.
    private static let maximumByteCount = 8 << 20

    /// Checks the document against the limits, then loads it.
    ///
    /// - Parameter isAbandoned: Returns whether the caller no longer waits for the document.
    /// - Throws: ``TintypeError/Code/limitExceeded`` before it is loaded, ``TintypeError/Code/cancelled``, and the errors
    ///   of ``SVGLibrary``.
    init(_ bytes: Data, _ limits: DecodeLimits, isAbandoned: @escaping () -> Bool) throws(TintypeError) {
        let bytes = try SVGSource.markup(bytes, limit: min(Self.maximumByteCount, limits.memoryBytes))
        var survey = SVGSurvey(Array(bytes), isAbandoned: isAbandoned)
        try survey.check(limits)
        try limits.checkMemory(of: survey, layerSize: PixelSize(width: 0, height: 0), result: 0)
        let area = try Self.area(ofEmbedded: survey.embeddedDocuments, limits)
        document = try SVGLibrary.open(bytes)
        (self.survey, embeddedArea) = (survey, area)
    }

    /// Creates a document to read its size.
    private init(sizing bytes: Data) throws(TintypeError) {
        document = try SVGLibrary.open(bytes)
        (survey, embeddedArea) = (SVGSurvey([]), 0)
    }

    /// Returns the number of pixels of embedded documents. Damaged ones are not drawn.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a document without a size, because librsvg draws it at the size
    ///   of its contents.
    private static func area(ofEmbedded documents: [Data], _ limits: DecodeLimits) throws(TintypeError) -> Double {
        var area = 0.0
        for bytes in documents {
            guard let document = try? SVGDocument(sizing: bytes) else { continue }
            guard tintype_svg_states_size(document.document) else {
                throw .exceeded(.library, "an SVG that embeds another without a size or a view box")
            }
            try limits.check(ImageInfo(format: .svg, size: document.size))
            area += Double(document.size.area)
        }
        return area
    }

    deinit {
        tintype_svg_close(document)
    }

    /// The size in whole pixels, rounded up. It exceeds every limit if the stated size is invalid.
    var size: PixelSize {
        var (width, height) = (0.0, 0.0)
        tintype_svg_get_size(document, &width, &height)
        return PixelSize(wholePixels: (width, height))
    }

    /// Draws a part of the document.
    ///
    /// - Parameters:
    ///   - part: The part in pixels of the document.
    ///   - size: The size of the result in pixels.
    ///   - limits: The limits of the cost, which the size determines.
    ///   - isCancelled: Called after most shapes if the drawing may take long.
    /// - Throws: ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/undecodable``,
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func draw(
        _ part: PixelRect, _ size: PixelSize, _ limits: DecodeLimits, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let documentSize = self.size
        let placement = try VectorPlacement(of: part, in: documentSize, at: size)
        // Off-screen images have the size of the whole document at this scale.
        let whole = placement.size
        let isCancellable = survey.cost.allowsCancellation(layerSize: whole)
        let scale = max(
            placement.width / Double(max(documentSize.width, 1)), placement.height / Double(max(documentSize.height, 1))
        )
        try survey.cost.checkFilters(
            limits, drawing: size, scale: scale * survey.enlargement, isCancellable: isCancellable)
        // Embedded documents are drawn at their own size; the root of their area stands for its sides.
        let side = max(Double(max(whole.width, whole.height)), 4 * embeddedArea.squareRoot())
        try survey.outlines.check(at: scale)
        let outlines = survey.outlines.bytes(at: scale, side: side, survey.cost)
        try limits.checkMemory(
            of: survey, layerSize: whole, result: size.area,
            other: 8 * embeddedArea + survey.tileBytes(at: scale) + outlines)
        var writer = try PixelWriter(size: size)
        writer.clear()
        let stride = writer.bytesPerRow
        let target = tintype_svg_placement(
            x: placement.x, y: placement.y, width: placement.width, height: placement.height)
        let hook = CancelHook(isCancelled)
        let shouldCancel = isCancellable && survey.cost.isSlow(drawing: size) ? CancelHook.callback : nil
        let status = writer.withRows { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_svg_draw(
                    document, $0, stride, UInt32(size.width), UInt32(size.height), target, shouldCancel, hook.pointer)
            }
        }
        withExtendedLifetime(hook) {}
        switch status {
        case .ok:
            writer.convertFromCairo()
            return writer.finish()
        case .cancelled: throw .cancelled
        case .memory: throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to draw an SVG")
        case .panic: throw .panickedSVG
        // Off-screen images of such a size cannot be created.
        case .corrupt where max(whole.width, whole.height) > VectorPlacement.maximumSide:
            throw .exceeded(.library, "an SVG whose groups are drawn off-screen, at \(whole) pixels")
        case .corrupt, nil: throw TintypeError(.undecodable, stage: .decode, "the SVG cannot be drawn")
        }
    }
}

extension DecodeLimits {
    /// Checks the memory of parsing and drawing a document.
    ///
    /// - Parameters:
    ///   - survey: The survey of the document.
    ///   - layerSize: The size of off-screen images in pixels.
    ///   - result: The number of pixels of the result.
    ///   - other: The bytes that embedded documents, patterns and outlines need.
    fileprivate func checkMemory(
        of survey: SVGSurvey, layerSize: PixelSize, result: Int, other: Double = 0
    ) throws(TintypeError) {
        // An embedded image is decoded, perhaps from coefficients, and copied. librsvg then keeps it.
        let embedded = 16 * Double(survey.embeddedPixels) + 4 * Double(survey.totalEmbeddedPixels)
        let layers = Double(min(survey.layerDepth, SVGCost.maximum)) * Double(layerSize.area)
        let pixels = Double(PixelBuffer.bytesPerPixel) * (Double(result) + layers)
        try checkMemory(pixels + embedded + Double(survey.cost.documentBytes) + other, decoding: "the SVG")
    }
}
