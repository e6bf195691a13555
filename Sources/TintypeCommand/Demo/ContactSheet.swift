import Foundation
import Tintype

/// A grid of images on a dark background.
struct ContactSheet {
    var columns = 4
    /// The size of a cell in pixels.
    var cell = PixelSize(width: 320, height: 240)
    /// The space around each cell in pixels.
    var gap = 16
    var background = Pixel(red: 24, green: 24, blue: 28)

    /// Draws each image centred in its cell, row by row.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    func draw(_ images: [Image]) throws(TintypeError) -> PixelBuffer {
        let rows = (images.count + columns - 1) / columns
        let size = PixelSize(
            width: columns * (cell.width + gap) + gap, height: max(1, rows) * (cell.height + gap) + gap)
        var canvas = try Canvas(size, background)
        for (index, image) in images.enumerated() {
            let thumbnail = try ResizeTransformer(to: cell).transform(image.pixels)
            let offset = PixelRect.centered(thumbnail.size, in: cell)
            canvas.draw(
                thumbnail, x: gap + index % columns * (cell.width + gap) + offset.x,
                y: gap + index / columns * (cell.height + gap) + offset.y)
        }
        return canvas.finish()
    }

    private struct Canvas: ~Copyable {
        private var writer: PixelWriter

        init(_ size: PixelSize, _ background: Pixel) throws(TintypeError) {
            writer = try PixelWriter(size: size)
            let stride = writer.bytesPerRow
            writer.withRows { rows in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        rows.storeBytes(of: background, toByteOffset: y * stride + x * 4, as: Pixel.self)
                    }
                }
            }
        }

        mutating func draw(_ image: PixelBuffer, x: Int, y: Int) {
            for row in 0..<image.size.height {
                writer.withRows(from: y + row) { target in
                    image.withUnsafeRow(row) { source in
                        for column in 0..<image.size.width {
                            let offset = (x + column) * PixelBuffer.bytesPerPixel
                            let above = source.loadUnaligned(fromByteOffset: column * 4, as: Pixel.self)
                            let below = target.loadUnaligned(fromByteOffset: offset, as: Pixel.self)
                            target.storeBytes(of: above.over(below), toByteOffset: offset, as: Pixel.self)
                        }
                    }
                }
            }
        }

        consuming func finish() -> PixelBuffer { writer.finish() }
    }
}

extension Pixel {
    /// Returns this premultiplied pixel composed over another.
    fileprivate func over(_ below: Pixel) -> Pixel {
        let rest = 255 - Int(alpha)
        func blend(_ above: UInt8, _ below: UInt8) -> UInt8 {
            UInt8(clamping: Int(above) + (Int(below) * rest + 127) / 255)
        }
        return Pixel(
            red: blend(red, below.red), green: blend(green, below.green), blue: blend(blue, below.blue),
            alpha: blend(alpha, below.alpha))
    }
}
