import TintypeCore

/// Finds what is not there of a picture without an eighth of its size, such as a lossless one: libjxl tells no one, and
/// writes such squares black.
struct JXLMissingTiles {
    /// Of a picture as libjxl writes it.
    let size: PixelSize
    let bytesPerRow: Int
    /// Of four channels, the last one alpha.
    let bytesPerPixel: Int

    /// Groups have this many pixels on a side, or a multiple of it (ISO/IEC 18181-1, F.2).
    private static let side = 128

    /// Makes every square that is wholly black transparent.
    ///
    /// - Returns: whether anything else is left.
    func clear(_ rows: UnsafeMutableRawBufferPointer) -> Bool {
        var hasMore = false
        for top in stride(from: 0, to: size.height, by: Self.side) {
            for left in stride(from: 0, to: size.width, by: Self.side) {
                let tile = PixelRect(
                    x: left, y: top,
                    size: PixelSize(
                        width: min(Self.side, size.width - left), height: min(Self.side, size.height - top)))
                if isBlack(tile, rows) { clear(tile, rows) } else { hasMore = true }
            }
        }
        return hasMore
    }

    private func isBlack(_ tile: PixelRect, _ rows: UnsafeMutableRawBufferPointer) -> Bool {
        (tile.y..<tile.y + tile.size.height).allSatisfy { y in
            (tile.x..<tile.x + tile.size.width).allSatisfy { x in
                let place = y * bytesPerRow + x * bytesPerPixel
                guard bytesPerPixel == 8 else {
                    return rows.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian << 8 == 0
                }
                return rows.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian << 16 == 0
            }
        }
    }

    private func clear(_ tile: PixelRect, _ rows: UnsafeMutableRawBufferPointer) {
        for y in tile.y..<tile.y + tile.size.height {
            let start = y * bytesPerRow + tile.x * bytesPerPixel
            let row = rows[start..<start + tile.size.width * bytesPerPixel]
            UnsafeMutableRawBufferPointer(rebasing: row).initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}
