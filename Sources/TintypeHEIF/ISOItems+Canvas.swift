import TintypeCore

extension ISOItems {
    /// The offset of the size of the canvas in the data of an item (ISO/IEC 23008-12, 6.6.2).
    private static let canvasOffsets = ["grid": 4, "iovl": 10]

    /// Returns the number of pixels of the canvas on which each derived image is composed, by the number of the item.
    ///
    /// libheif allocates a canvas for this size, whatever size the file declares for the item.
    func canvasPixels(_ file: ISOFile) -> [Int: Int] {
        var pixels: [Int: Int] = [:]
        for item in all {
            guard let offset = Self.canvasOffsets[item.kind] else { continue }
            var data: [UInt8] = []
            for extent in item.extents where data.count < offset + 8 { data += file.bytes[extent].prefix(offset + 8) }
            guard data.count >= offset + 4 else { continue }
            // A flag tells whether the numbers have 16 or 32 bits.
            let size = data[1] & 1 == 1 ? 4 : 2
            let sides = data.dropFirst(offset).prefix(2 * size)
            guard sides.count == 2 * size else { continue }
            let width = sides.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            let height = sides.suffix(size).reduce(0) { $0 << 8 | Int($1) }
            pixels[item.identifier] = max(
                pixels[item.identifier] ?? 0, PixelSize(width: width, height: height).area)
        }
        return pixels
    }
}
