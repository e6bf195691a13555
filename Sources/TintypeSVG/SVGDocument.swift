import CTintypeSVG
import Foundation
import TintypeCore

/// librsvg over one whole document.
struct SVGDocument: ~Copyable {
    private let document: OpaquePointer
    let cost: SVGCost

    /// Bytes of a document: what honest pictures stay far below. Reading it takes many times as much memory.
    private static let mostBytes = 8 << 20

    /// - Throws: as ``SVGLibrary``, and ``TintypeError/Code/limitExceeded`` before it is loaded.
    init(_ bytes: Data, _ limits: DecodeLimits) throws(TintypeError) {
        guard bytes.count <= Self.mostBytes else {
            throw .exceeded(.library, "an SVG of more than \(Self.mostBytes) bytes")
        }
        var survey = SVGSurvey(Array(bytes))
        try survey.check(limits)
        document = try SVGLibrary.standard.get().open(bytes)
        cost = survey.cost
    }

    deinit {
        tintype_svg_close(document)
    }

    /// In whole pixels, rounded up. A size beyond any limit where it gives itself none that makes sense.
    var size: PixelSize {
        var (width, height) = (0.0, 0.0)
        tintype_svg_get_size(document, &width, &height)
        return PixelSize(width: Self.pixels(width), height: Self.pixels(height))
    }

    /// - Parameters:
    ///   - part: what is drawn of it, in its own pixels.
    ///   - size: how large that becomes.
    ///   - isCancelled: asked after most shapes, where there is much to draw.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func drawn(
        _ part: PixelRect, _ size: PixelSize, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        writer.clear()
        let stride = writer.bytesPerRow
        let whole = place(of: part, drawn: size)
        let hook = CancelHook(isCancelled)
        let ask = cost.isLong(drawing: size) ? CancelHook.callback : nil
        let status = writer.withRows { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_svg_draw(
                    document, $0, stride, UInt32(size.width), UInt32(size.height), whole, ask, hook.pointer)
            }
        }
        withExtendedLifetime(hook) {}
        switch status {
        case .ok: return writer.finish()
        case .cancelled: throw .cancelled
        case .memory: throw TintypeError(.outOfMemory, stage: .decode, "no memory to draw an SVG")
        case .corrupt, .unavailable, nil: throw TintypeError(.undecodable, stage: .decode, "the SVG cannot be drawn")
        }
    }

    private func place(of part: PixelRect, drawn size: PixelSize) -> tintype_svg_place {
        let across = Double(size.width) / Double(part.size.width)
        let down = Double(size.height) / Double(part.size.height)
        return tintype_svg_place(
            x: -Double(part.x) * across, y: -Double(part.y) * down, width: Double(self.size.width) * across,
            height: Double(self.size.height) * down)
    }

    private static func pixels(_ side: Double) -> Int {
        side.isFinite ? Int(min(max(side.rounded(.up), 0), 1e9)) : 0
    }
}
