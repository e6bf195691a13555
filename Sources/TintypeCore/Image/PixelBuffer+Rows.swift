package import Foundation

// Pixels as one piece of bytes: rows of `bytesPerRow`, whose padding is zero.

extension PixelBuffer {
    /// The largest side that pixels kept as bytes may have; no thumbnail comes near.
    private static let largestSide = 1 << 15

    /// A copy of all rows. The padding is zero, whatever memory has there.
    package var rows: Data {
        var rows = Data(count: bytesPerRow * size.height)
        let length = size.width * Self.bytesPerPixel
        rows.withUnsafeMutableBytes { target in
            for y in 0..<size.height {
                withUnsafeRow(y) { row in
                    UnsafeMutableRawBufferPointer(rebasing: target[y * bytesPerRow..<y * bytesPerRow + length])
                        .copyMemory(from: row)
                }
            }
        }
        return rows
    }

    /// Bytes of the rows of a picture; `nil` for a size that none has.
    package static func rowByteCount(_ size: PixelSize) -> Int? {
        guard size.isPositive, size.width <= largestSide, size.height <= largestSide else { return nil }
        return bytesPerRow(width: size.width) * size.height
    }

    /// The pixels where they lie in a mapped file; `nil` when what is there are not the rows of such a picture.
    package init?(_ mapped: MappedBytes, from offset: Int, size: PixelSize) {
        guard offset % PixelStorage.alignment == 0, offset >= 0,
            Self.rowByteCount(size) == mapped.bytes.count - offset
        else { return nil }
        self.init(
            size: size, bytesPerRow: Self.bytesPerRow(width: size.width),
            storage: PixelStorage(mapped, from: offset))
    }

    /// The pixels of rows, copied; `nil` when these are not the rows of such a picture, or there is no memory.
    package init?(rows: Data, size: PixelSize) {
        guard Self.rowByteCount(size) == rows.count, var writer = try? PixelWriter(size: size) else { return nil }
        writer.withRows { target in
            rows.withUnsafeBytes { target.copyMemory(from: $0) }
        }
        self = writer.finish()
    }
}
