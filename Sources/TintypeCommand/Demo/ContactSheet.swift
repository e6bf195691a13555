import Foundation
import Tintype

/// Pictures side by side on a dark ground.
struct ContactSheet {
    var columns = 4
    var cell = PixelSize(width: 320, height: 240)
    var gap = 16
    var ground = Pixel(red: 24, green: 24, blue: 28)

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    func drawn(_ images: [Image]) throws(TintypeError) -> PixelBuffer {
        let rows = (images.count + columns - 1) / columns
        let size = PixelSize(
            width: columns * (cell.width + gap) + gap, height: max(1, rows) * (cell.height + gap) + gap)
        var canvas = try Canvas(size, ground)
        for (index, image) in images.enumerated() {
            let thumbnail = try ResizeTransformer(to: cell).transform(image.pixels)
            let place = PixelRect.centered(thumbnail.size, in: cell)
            canvas.draw(
                thumbnail, x: gap + index % columns * (cell.width + gap) + place.x,
                y: gap + index / columns * (cell.height + gap) + place.y)
        }
        return canvas.finish()
    }

    private struct Canvas: ~Copyable {
        private var writer: PixelWriter

        init(_ size: PixelSize, _ ground: Pixel) throws(TintypeError) {
            writer = try PixelWriter(size: size)
            let stride = writer.bytesPerRow
            writer.withRows { rows in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        rows.storeBytes(of: ground, toByteOffset: y * stride + x * 4, as: Pixel.self)
                    }
                }
            }
        }

        mutating func draw(_ picture: PixelBuffer, x: Int, y: Int) {
            for row in 0..<picture.size.height {
                writer.withRows(from: y + row) { target in
                    picture.withUnsafeRow(row) { source in
                        for column in 0..<picture.size.width {
                            let place = (x + column) * PixelBuffer.bytesPerPixel
                            let above = source.loadUnaligned(fromByteOffset: column * 4, as: Pixel.self)
                            let below = target.loadUnaligned(fromByteOffset: place, as: Pixel.self)
                            target.storeBytes(of: above.over(below), toByteOffset: place, as: Pixel.self)
                        }
                    }
                }
            }
        }

        consuming func finish() -> PixelBuffer { writer.finish() }
    }
}

extension Pixel {
    /// This premultiplied pixel on top of another.
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
