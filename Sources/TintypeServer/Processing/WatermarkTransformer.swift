import TintypeCore

/// Draws a watermark on the result, once or in rows and columns.
struct WatermarkTransformer: ImageTransformer {
    private let mark: PixelBuffer
    private let options: WatermarkOption
    private let pixelRatio: Double
    private let opacity: Double

    /// - Parameters:
    ///   - mark: The pixels of the watermark, upright.
    ///   - pixelRatio: The factor of the offsets.
    ///   - opacity: The opacity that the operator has set, by which that of the options is multiplied.
    init(_ mark: PixelBuffer, _ options: WatermarkOption, pixelRatio: Double, opacity: Double) {
        (self.mark, self.options, self.pixelRatio, self.opacity) = (mark, options, pixelRatio, opacity)
    }

    /// The options and a digest of the watermark.
    var identifier: String {
        "watermark(\(OverlayTransformer(mark).identifier),\(options),\(pixelRatio),\(opacity))"
    }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let plan = WatermarkPlan(of: mark.size, on: pixels.size, options, pixelRatio: pixelRatio)
        let scaled = try ResizeTransformer(to: plan.scaledSize, mode: .stretch, isEnlarging: true).transform(mark)
        let turned = try RotateTransformer(degrees: -options.rotation).transform(scaled)
        var overlay = OverlayTransformer(turned, gravity: .topLeft, opacity: options.opacity * opacity)
        guard plan.corners.count > 1 else {
            guard let corner = plan.corners.first else { return pixels }
            overlay.inset = PixelSize(width: corner.x, height: corner.y)
            return try overlay.transform(pixels)
        }
        return try tiled(overlay, plan.corners, on: pixels)
    }

    /// Draws the copies next to each other, a limited number in each pass over the pixels.
    private func tiled(
        _ overlay: OverlayTransformer, _ corners: [WatermarkPlan.Corner], on pixels: PixelBuffer
    ) throws(TintypeError) -> PixelBuffer {
        var result = pixels
        for first in stride(from: 0, to: corners.count, by: Self.copiesPerPass) {
            let part = corners[first..<min(first + Self.copiesPerPass, corners.count)]
            let copies = part.map { corner in
                var copy = overlay
                copy.inset = PixelSize(width: corner.x, height: corner.y)
                return copy
            }
            result = try TransformerChain(copies).transform(result)
        }
        return result
    }

    private static let copiesPerPass = 512
}
