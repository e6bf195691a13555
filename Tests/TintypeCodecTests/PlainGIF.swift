import Foundation
import TintypeCore

/// Makes uncompressed GIFs: each code takes one byte and stands for one pixel (GIF89a, appendix F).
enum PlainGIF {
    /// Returns a grey image.
    ///
    /// - Parameter value: The value of a pixel, below 128; its grey level is twice that.
    static func bytes(_ size: PixelSize, _ value: (_ x: Int, _ y: Int) -> UInt8) -> Data {
        let sides = [size.width & 255, size.width >> 8, size.height & 255, size.height >> 8].map(UInt8.init)
        var data = Data("GIF89a".utf8) + Data(sides) + Data([0x86, 0, 0])
        for grey in 0..<128 { data += Data(repeating: UInt8(2 * grey), count: 3) }
        data += Data([0x2C, 0, 0, 0, 0]) + Data(sides) + Data([0, 7])
        let pixels = (0..<size.area).map { value($0 % size.width, $0 / size.width) }
        // A clear code comes before the codes grow to nine bits.
        var codes: [UInt8] = []
        for (index, pixel) in pixels.enumerated() {
            if index % 100 == 0 { codes.append(128) }
            codes.append(pixel)
        }
        codes.append(129)
        for start in stride(from: 0, to: codes.count, by: 255) {
            let block = codes[start..<min(start + 255, codes.count)]
            data.append(UInt8(block.count))
            data.append(contentsOf: block)
        }
        return data + Data([0, 0x3B])
    }
}
