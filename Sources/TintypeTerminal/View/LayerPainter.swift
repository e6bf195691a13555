import Foundation
import TintypeCore
import TintypeViews

/// One of the images of a transition.
package struct TransitionImage: Sendable {
    /// The pixels; they are resampled to the size of their layout.
    let pixels: PixelBuffer
    /// The cells of the image when it stands still.
    let layout: CellLayout
}

/// Draws the frames of a transition: two images in the middle of a region, each moved, scaled and faded.
struct LayerPainter {
    /// The size of the region in pixels.
    let canvas: PixelSize

    /// Returns a frame, whose size is that of the region.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    func paint(
        _ old: TransitionImage?, _ new: TransitionImage?, _ frame: TransitionFrame
    ) throws(TintypeError) -> PixelBuffer {
        var rows = [UInt32](repeating: 0, count: canvas.area)
        if let old { try add(old, frame.old, to: &rows) }
        if let new { try add(new, frame.new, to: &rows) }
        return try .makeRows(canvas) { y, row in
            for x in row.indices { row[x] = rows[y * canvas.width + x] }
        }
    }

    private func add(
        _ image: TransitionImage, _ layer: TransitionFrame.Layer, to rows: inout [UInt32]
    ) throws(TintypeError) {
        guard layer.opacity > 0 else { return }
        let opacity = UInt32(min(layer.opacity, 1) * 256)
        guard opacity > 0, let rect = rect(of: image, layer), let visible = rect.clipped(to: canvas) else { return }
        let pixels = try image.pixels.resampled(to: rect.size, filter: .bilinear)
        for y in visible.y..<visible.y + visible.size.height {
            pixels.withWords(y - rect.y) { source in
                for x in visible.x..<visible.x + visible.size.width {
                    let index = y * canvas.width + x
                    rows[index] = Self.blend(source[x - rect.x], opacity, over: rows[index])
                }
            }
        }
    }

    /// Returns where a layer lies on the canvas; `nil` if it is seen from its edge, or if a program's transition places
    /// it far outside, or makes it larger than twice the canvas.
    private func rect(of image: TransitionImage, _ layer: TransitionFrame.Layer) -> PixelRect? {
        let foreshortening = layer.turn.map { cos($0.degrees * .pi / 180) } ?? 1
        let across = layer.scale * (layer.turn?.axis == .vertical ? foreshortening : 1)
        let down = layer.scale * (layer.turn?.axis == .horizontal ? foreshortening : 1)
        let (width, height) = (Double(image.layout.pixels.width) * across, Double(image.layout.pixels.height) * down)
        // Numbers that are not finite are in no range.
        guard (0...2 * Double(canvas.width)).contains(width), (0...2 * Double(canvas.height)).contains(height),
            (-2...2).contains(layer.x), (-2...2).contains(layer.y)
        else { return nil }
        let size = PixelSize(width: Int(width.rounded()), height: Int(height.rounded()))
        guard size.isPositive else { return nil }
        var rect = PixelRect.centered(size, in: canvas)
        rect.x += Int((layer.x * Double(canvas.width)).rounded())
        rect.y += Int((layer.y * Double(canvas.height)).rounded())
        return rect
    }

    /// Blends a premultiplied pixel with an opacity of up to 256 over another one. All four channels are computed
    /// alike, two at a time.
    private static func blend(_ source: UInt32, _ opacity: UInt32, over target: UInt32) -> UInt32 {
        let mask: UInt32 = 0x00FF_00FF
        let low = ((source & mask) &* opacity) >> 8 & mask
        let high = ((source >> 8 & mask) &* opacity) >> 8 & mask
        // 256 for a transparent pixel, 0 for an opaque one.
        let rest = 256 - ((high >> 16) + (high >> 23))
        return (low &+ (((target & mask) &* rest) >> 8 & mask))
            | (high &+ (((target >> 8 & mask) &* rest) >> 8 & mask)) << 8
    }
}
