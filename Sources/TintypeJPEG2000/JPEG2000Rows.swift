import CTintypeJP2
import Foundation
import TintypeColor
import TintypeCore

/// Makes rows of straight 16-bit RGBA, or of CMYK for a profile, of decoded channels.
struct JPEG2000Rows {
    private let layout: JPEG2000Layout
    /// The colour channels, then alpha.
    private let planes: [Plane]
    private let size: PixelSize
    /// Whether rows are CMYK, which a profile converts.
    private let keepsCMYK: Bool

    /// A channel, whose samples may be fewer than pixels.
    private struct Plane {
        let samples: UnsafePointer<Int32>
        let size: PixelSize
        let offset: Int
        let maximum: Int
        /// The number of bits by which samples of more than 16 are reduced.
        let shift: Int
        /// The 16-bit code of each sample; empty for more than 16 bits.
        let codes: [UInt16]

        init?(_ channel: tintype_jp2_channel) {
            guard let samples = channel.samples else { return nil }
            let bits = Int(min(max(channel.bits, 1), 31))
            self.samples = samples
            size = PixelSize(width: Int(channel.width), height: Int(channel.height))
            offset = channel.is_signed ? 1 << (bits - 1) : 0
            shift = max(bits - 16, 0)
            let maximum = 1 << (bits - shift) - 1
            self.maximum = maximum
            // Samples of at most 8 bits are rounded to 8 bits first, so that the 8-bit image is exact.
            codes = (0...maximum).map { sample in
                bits <= 8
                    ? UInt16((sample * 255 + maximum / 2) / maximum * 257)
                    : UInt16((sample * 65_535 + maximum / 2) / maximum)
            }
        }

        @inline(__always)
        func code(_ index: Int) -> UInt16 {
            codes[min(max((Int(samples[index]) + offset) >> shift, 0), maximum)]
        }
    }

    /// - Parameters:
    ///   - size: The size of the decoded image. Channels with fewer samples repeat them.
    ///   - keepsCMYK: Whether rows are CMYK instead of RGBA.
    init(
        _ layout: JPEG2000Layout, _ channels: [tintype_jp2_channel], _ size: PixelSize, keepsCMYK: Bool
    ) throws(TintypeError) {
        let indices = layout.colors + (layout.alpha.map { [$0] } ?? [])
        planes = indices.compactMap { channels.indices.contains($0) ? Plane(channels[$0]) : nil }
        guard planes.count == indices.count else { throw TintypeError(.corrupt, "a component is missing") }
        (self.layout, self.size, self.keepsCMYK) = (layout, size, keepsCMYK)
    }

    /// Writes a row, four words for each pixel.
    func write(_ y: Int, to words: UnsafeMutableBufferPointer<UInt16>) {
        let count = layout.colors.count
        for (index, plane) in planes.enumerated() {
            let start = y * plane.size.height / size.height * plane.size.width
            // Alpha is the last channel, but that of CMYK has no room.
            guard index < count || !keepsCMYK else { break }
            let channel = index < count ? index : 3
            for x in 0..<size.width {
                words[4 * x + channel] = plane.code(start + x * plane.size.width / size.width)
            }
        }
        if keepsCMYK { return }
        for x in 0..<size.width { convert(UnsafeMutableBufferPointer(rebasing: words[4 * x..<4 * x + 4])) }
        if layout.isPremultiplied { WideRows.unpremultiply(words) }
    }

    /// Converts a pixel to RGBA.
    @inline(__always)
    private func convert(_ pixel: UnsafeMutableBufferPointer<UInt16>) {
        switch layout.model {
        case .grey: (pixel[1], pixel[2]) = (pixel[0], pixel[0])
        case .rgb: break
        case .ycc: Self.convertYCC(pixel)
        case .cmyk:
            let paper = 65_535 - UInt32(pixel[3])
            for channel in 0..<3 {
                pixel[channel] = UInt16((65_535 - UInt32(pixel[channel])) * paper / 65_535)
            }
        }
        if layout.alpha == nil || layout.model == .cmyk { pixel[3] = 65_535 }
    }

    /// Converts luma and colour differences with the equations of sYCC (IEC 61966-2-1, annex F).
    private static func convertYCC(_ pixel: UnsafeMutableBufferPointer<UInt16>) {
        let (luma, blue, red) = (Float(pixel[0]), Float(pixel[1]) - 32_768, Float(pixel[2]) - 32_768)
        let light = SIMD3(luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue)
        for channel in 0..<3 { pixel[channel] = UInt16(min(max(light[channel], 0), 65_535).rounded()) }
    }
}
