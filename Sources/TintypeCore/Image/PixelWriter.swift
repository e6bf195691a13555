import Foundation

/// A bitmap under construction: rows are written in place, then it becomes a ``PixelBuffer`` without a copy.
///
/// The type is not copyable, so no writer can remain when the buffer is shared. Use it from one thread at a time.
public struct PixelWriter: ~Copyable {
    /// The size in pixels.
    public let size: PixelSize
    /// The number of bytes from the start of one row to the start of the next, padding included.
    public let bytesPerRow: Int
    private let storage: PixelStorage

    /// Allocates a bitmap with undefined contents.
    ///
    /// - Parameter size: In pixels.
    /// - Throws: ``TintypeError/Code/outOfMemory``; ``TintypeError/Code/limitExceeded`` for a size that is not
    ///   positive or too large to be addressed.
    public init(size: PixelSize) throws(TintypeError) {
        guard size.isPositive, size.area <= Int.max / (2 * PixelBuffer.bytesPerPixel), size.width <= Int(Int32.max)
        else {
            throw TintypeError(.limitExceeded, stage: .decode, "a bitmap cannot have the size \(size)")
        }
        let bytesPerRow = PixelBuffer.bytesPerRow(width: size.width)
        self.init(size: size, bytesPerRow: bytesPerRow, storage: try PixelStorage(byteCount: bytesPerRow * size.height))
    }

    /// Creates a writer for a band of rows of a bitmap that nobody reads yet.
    ///
    /// Until then each row may be in one band, and each band may have its own thread.
    init(_ rows: Range<Int>, of new: PixelBuffer) {
        let bytes = new.storage.bytes[rows.lowerBound * new.bytesPerRow..<rows.upperBound * new.bytesPerRow]
        self.init(
            size: PixelSize(width: new.size.width, height: rows.count), bytesPerRow: new.bytesPerRow,
            storage: PixelStorage(
                UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: bytes)), owner: new.storage))
    }

    private init(size: PixelSize, bytesPerRow: Int, storage: PixelStorage) {
        self.size = size
        self.bytesPerRow = bytesPerRow
        self.storage = storage
    }

    /// Calls `body` with the rows from index `first` on, padding included. The pointer is valid only during the call.
    ///
    /// - Precondition: `0 <= first <= size.height`.
    public mutating func withRows<Result, Failure: Error>(
        from first: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(first >= 0 && first <= size.height, "row \(first) lies outside an image of \(size)")
        return try body(UnsafeMutableRawBufferPointer(rebasing: storage.bytes[(first * bytesPerRow)...]))
    }

    /// Fills the bitmap with transparent black.
    public mutating func clear() {
        storage.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Consumes the writer and returns the written pixels. O(1).
    public consuming func finish() -> PixelBuffer {
        PixelBuffer(size: size, bytesPerRow: bytesPerRow, storage: storage)
    }
}

/// The memory of one bitmap: a block of the ``PixelPool``, or a part of memory that something else owns.
///
/// This is the only place in the project that allocates pixels.
///
/// `@unchecked Sendable` because only the ``PixelWriter`` that created the storage writes to it, and before anyone else
/// has the ``PixelBuffer`` that it becomes, writers of bands that share no row. From then on the bytes are only read.
/// Storage that something else owns never has a writer, unless it is from the process's ``PixelMemory``, or a band of a
/// new bitmap.
final class PixelStorage: @unchecked Sendable {
    /// The alignment of rows in bytes: a cache line, and the widest vector register of x86-64 and arm64.
    static let alignment = 64

    let bytes: UnsafeMutableRawBufferPointer
    private let owner: Owner

    private enum Owner {
        case pool(PixelBlock)
        case memory(any PixelMemory)
        /// Released with the storage.
        case object(any AnyObject & Sendable)
    }

    /// Allocates storage from the process's ``PixelMemory``, or else from the shared pool.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(byteCount: Int) throws(TintypeError) {
        if let memory = PixelMemorySlot.memory(for: byteCount), let address = memory.take(byteCount) {
            owner = .memory(memory)
            bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
            return
        }
        guard let block = PixelPool.shared.take(byteCount) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a bitmap of \(byteCount) bytes")
        }
        owner = .pool(block)
        bytes = UnsafeMutableRawBufferPointer(start: block.pointer, count: byteCount)
    }

    /// Creates storage over bytes that live as long as `owner`.
    init(_ bytes: UnsafeRawBufferPointer, owner: any AnyObject & Sendable) {
        self.owner = .object(owner)
        self.bytes = UnsafeMutableRawBufferPointer(mutating: bytes)
    }

    deinit {
        switch owner {
        case .pool(let block): PixelPool.shared.put(block)
        case .memory(let memory): bytes.baseAddress.map(memory.put)
        case .object: break
        }
    }
}

/// Memory for large bitmaps that another process can map. Its members may be called from any thread.
package protocol PixelMemory: Sendable {
    /// Returns writable memory, aligned to a page; `nil` if there is none.
    func take(_ byteCount: Int) -> UnsafeMutableRawPointer?
    /// Takes back memory that no bitmap uses any longer.
    func put(_ address: UnsafeMutableRawPointer)
}

/// The ``PixelMemory`` of this process. Only a worker process has one.
package enum PixelMemorySlot {
    /// The smallest bitmap, in bytes, that is allocated from it.
    package static let smallest = 64 << 10

    private static let slot = Locked<(any PixelMemory)?>(nil)

    /// Sets the memory for all bitmaps that are created from now on.
    package static func set(_ memory: any PixelMemory) {
        slot.withLock { $0 = memory }
    }

    static func memory(for byteCount: Int) -> (any PixelMemory)? {
        byteCount >= smallest ? slot.withLock { $0 } : nil
    }
}

extension PixelBuffer {
    /// Creates a bitmap over rows that another process has written and that live as long as `owner`.
    ///
    /// That process may change them at any time, so two reads of a pixel may differ. Code that reads pixels must not
    /// trap, or use memory outside of its own, because of that: no index, count or range may be valid only if pixels
    /// stay the same.
    ///
    /// - Parameters:
    ///   - size: In pixels.
    ///   - rows: At least `size.height` rows of ``bytesPerRow(width:)`` bytes.
    /// - Returns: `nil` if `rows` are too short for the size.
    package init?(size: PixelSize, rows: UnsafeRawBufferPointer, owner: any AnyObject & Sendable) {
        guard size.isPositive, size.width <= Int(Int32.max), size.height <= Int(Int32.max) else { return nil }
        let bytesPerRow = Self.bytesPerRow(width: size.width)
        let (count, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        guard !overflow, count <= rows.count else { return nil }
        self.init(
            size: size, bytesPerRow: bytesPerRow,
            storage: PixelStorage(UnsafeRawBufferPointer(rebasing: rows[..<count]), owner: owner))
    }
}

extension PixelBuffer {
    /// Returns one transparent pixel.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package static func onePixel() throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: PixelSize(width: 1, height: 1))
        writer.clear()
        return writer.finish()
    }
}
