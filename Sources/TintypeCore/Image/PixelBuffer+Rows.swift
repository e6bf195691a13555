package import Foundation

// The pixels of an image as one sequence of bytes, as a disk cache stores them: rows of `bytesPerRow` bytes whose
// padding is zero.

extension PixelBuffer {
    /// The longest side, in pixels, of an image that is stored as rows. Thumbnails are far smaller.
    private static let largestSide = 1 << 15

    /// A copy of all rows, with zero padding.
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

    /// Returns the number of bytes of the rows of an image; `nil` for a size that is not positive or too large.
    package static func rowByteCount(_ size: PixelSize) -> Int? {
        guard size.isPositive, size.width <= largestSide, size.height <= largestSide else { return nil }
        return bytesPerRow(width: size.width) * size.height
    }

    /// Creates a buffer over the rows in a mapped file, without copying them.
    ///
    /// - Returns: `nil` unless the bytes from `offset` to the end are aligned and have exactly the length of the rows
    ///   of an image of `size`.
    package init?(_ mapped: MappedBytes, from offset: Int, size: PixelSize) {
        guard offset % PixelStorage.alignment == 0, offset >= 0,
            Self.rowByteCount(size) == mapped.bytes.count - offset
        else { return nil }
        self.init(
            size: size, bytesPerRow: Self.bytesPerRow(width: size.width),
            storage: PixelStorage(UnsafeRawBufferPointer(rebasing: mapped.bytes[offset...]), owner: mapped))
    }

    /// Creates a buffer with a copy of rows.
    ///
    /// - Returns: `nil` if `rows` are not the rows of such an image, or if there is not enough memory.
    package init?(rows: Data, size: PixelSize) {
        guard Self.rowByteCount(size) == rows.count, var writer = try? PixelWriter(size: size) else { return nil }
        writer.withRows { target in
            rows.withUnsafeBytes { target.copyMemory(from: $0) }
        }
        self = writer.finish()
    }

    /// Reads one byte of every memory page, so that later reads cause no page faults.
    ///
    /// The result combines the bytes read, so that the optimizer cannot remove the reads.
    @inline(never) @discardableResult
    func touchPages() -> UInt8 {
        withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.smallestPage).reduce(into: UInt8(0)) { $0 ^= bytes[$1] }
        }
    }

    /// The smallest page size in bytes of any supported machine.
    private static let smallestPage = 4096
}

/// The beginning of a file, mapped for reading. Nothing is copied; the pages are those of the page cache.
///
/// The file must not be written or truncated while it is mapped: reading a truncated page raises `SIGBUS`. This holds
/// for the files of a disk cache: they get their names when they are complete, are replaced by renaming, and keep their
/// pages after they are removed.
///
/// `@unchecked Sendable` because the memory is mapped read-only and stays mapped until the object is deallocated.
package final class MappedBytes: @unchecked Sendable {
    /// The mapped bytes, valid as long as this object lives.
    package let bytes: UnsafeRawBufferPointer

    /// Maps the first `count` bytes of a file.
    ///
    /// - Returns: `nil` if the file cannot be mapped. The number of mappings per process is limited
    ///   (`vm.max_map_count`).
    package init?(_ descriptor: Int32, count: Int) {
        // MAP_POPULATE, because a fault for each page would cost more than everything else.
        guard count > 0,
            let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE | Int32(MAP_POPULATE), descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        bytes = UnsafeRawBufferPointer(start: memory, count: count)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }
}
