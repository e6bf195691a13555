package import TintypeCore

/// Turns images into Sixel graphics (DEC STD 070, and the manual of the VT340).
///
/// It keeps its palette from frame to frame as long as the palette fits, so that the colours of an animation do not
/// flicker, and pixels that stay get the same index.
package struct SixelEncoder: Sendable {
    /// The largest number of colours.
    private let colorLimit: Int
    private let dithering: Dithering
    private var mapper: ColorMapper?
    private var colors: [UInt32] = []
    private var fit: ColorFit?

    /// How colours that the palette lacks are shown.
    package enum Dithering: Hashable, Sendable {
        /// By the nearest colour.
        case none
        /// By a pattern, which is stable from frame to frame and compresses well.
        case ordered
    }

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - registers: The number of colour registers of the terminal, from 2 to 256.
    ///   - dithering: How colours that the palette lacks are shown.
    package init(registers: Int = 256, dithering: Dithering = .ordered) {
        colorLimit = min(max(registers, 2), 256)
        self.dithering = dithering
    }

    /// Returns the indices of an image, with a new palette if the former one does not fit.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package mutating func indexed(_ pixels: PixelBuffer) throws(TintypeError) -> IndexedPixels {
        let image = try pixels.withBinaryAlpha()
        if mapper == nil || fit?.fits(image) != true { choosePalette(for: image) }
        let dithering = ordered
        let indices = mapper?.indices(of: image, dithering: dithering) ?? []
        return IndexedPixels(size: image.size, indices: indices, colors: colors)
    }

    private mutating func choosePalette(for image: PixelBuffer) {
        // One index is for transparent pixels; it needs no register.
        var histogram = ColorHistogram(limit: min(colorLimit, 255))
        histogram.add(image)
        let palette = ColorPalette(histogram, hasTransparency: true)
        colors = palette.colors
        mapper = ColorMapper(palette)
        fit = ColorFit(palette, image)
    }

    /// The pattern spans about half of the distance between neighbouring colours: more of it only adds noise.
    private var ordered: ColorDithering {
        dithering == .none ? .none : .ordered(amplitude: colors.count > 128 ? 12 : colors.count > 32 ? 24 : 48)
    }
}

/// An image as indices into a palette.
package struct IndexedPixels: Sendable {
    /// The size in pixels.
    package let size: PixelSize
    /// The index of each pixel, row by row. Transparent pixels have the index after the last colour.
    package let indices: [UInt8]
    /// The colours; red is the lowest byte.
    package let colors: [UInt32]

    /// The index of transparent pixels.
    var transparentIndex: UInt8 { UInt8(truncatingIfNeeded: colors.count) }

    /// Returns the smallest rectangle with all pixels that differ from `former`; `nil` if none does.
    ///
    /// The whole image differs if sizes or colours do.
    package func changedRect(from former: IndexedPixels) -> PixelRect? {
        guard size == former.size, colors == former.colors else { return PixelRect(x: 0, y: 0, size: size) }
        var (left, right, top, bottom) = (Int.max, -1, -1, -1)
        indices.withUnsafeBufferPointer { new in
            former.indices.withUnsafeBufferPointer { old in
                for y in 0..<size.height {
                    let row = y * size.width
                    guard let first = (0..<size.width).first(where: { new[row + $0] != old[row + $0] }) else {
                        continue
                    }
                    let last = (first..<size.width).last { new[row + $0] != old[row + $0] } ?? first
                    (left, right, bottom) = (min(left, first), max(right, last), y)
                    if top < 0 { top = y }
                }
            }
        }
        guard top >= 0 else { return nil }
        return PixelRect(x: left, y: top, size: PixelSize(width: right - left + 1, height: bottom - top + 1))
    }

    /// Whether a pixel that was visible in `former` is transparent now. Sixel graphics cannot erase pixels.
    package func erasesPixels(of former: IndexedPixels) -> Bool {
        guard size == former.size else { return true }
        let (new, old) = (transparentIndex, former.transparentIndex)
        return zip(indices, former.indices).contains { $0 == new && $1 != old }
    }
}

/// How well a palette fits images: the mean error of a sample of their pixels.
private struct ColorFit: Sendable {
    private let nearest: NearestColor
    private let colors: [UInt32]
    private let limit: Double

    /// About this many pixels are compared.
    private static let sampleCount = 512
    /// The largest error that is not visible, in squared steps of a channel.
    private static let invisibleError = 48.0

    init(_ palette: ColorPalette, _ image: PixelBuffer) {
        nearest = NearestColor(palette.colors)
        colors = palette.colors
        limit = max(Self.invisibleError, 2 * Self.error(of: image, nearest, palette.colors))
    }

    func fits(_ image: PixelBuffer) -> Bool {
        Self.error(of: image, nearest, colors) <= limit
    }

    private static func error(of image: PixelBuffer, _ nearest: NearestColor, _ colors: [UInt32]) -> Double {
        let step = max(1, image.size.area / sampleCount)
        var (sum, count) = (0.0, 0)
        for index in stride(from: step / 2, to: image.size.area, by: step) {
            let word = image.withWords(index / image.size.width) { $0[index % image.size.width] }
            guard word != 0, !colors.isEmpty else { continue }
            sum += Double(distance(word, colors[nearest.index(of: word)]))
            count += 1
        }
        return count == 0 ? 0 : colors.isEmpty ? .infinity : sum / Double(count)
    }

    private static func distance(_ first: UInt32, _ second: UInt32) -> Int {
        [0, 8, 16].reduce(0) { sum, shift in
            let difference = Int(first >> UInt32(shift) & 255) - Int(second >> UInt32(shift) & 255)
            return sum + difference * difference
        }
    }
}
