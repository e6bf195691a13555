/// Which idle memory a ``PixelPool`` keeps, and which it gives back.
struct PixelPoolState: Sendable {
    private(set) var limit: Int
    private(set) var byteCount = 0
    /// From the one that has lain longest to the one that came last. Few, since all together are below the limit and
    /// each is at least ``smallestCapacity``.
    private var blocks: [PixelBlock] = []

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// Below this, the system's allocator hands out memory that is warm anyway. Bytes.
    static let smallestCapacity = 1 << 20

    /// The size class: eight to each doubling, so that at most an eighth is unused; small sizes are their own.
    static func capacity(for byteCount: Int) -> Int {
        guard byteCount >= smallestCapacity else { return max(byteCount, 1) }
        let step = 1 << (Int.bitWidth - 1 - byteCount.leadingZeroBitCount - 3)
        let (sum, overflow) = byteCount.addingReportingOverflow(step - 1)
        return overflow ? byteCount : sum & ~(step - 1)
    }

    /// The block of this class that came last, since its memory is the warmest.
    mutating func take(_ capacity: Int) -> PixelBlock? {
        guard let index = blocks.lastIndex(where: { $0.capacity == capacity }) else { return nil }
        byteCount -= capacity
        return blocks.remove(at: index)
    }

    /// Keeps a block; returns those to give back for it.
    mutating func put(_ block: PixelBlock) -> [PixelBlock] {
        guard block.capacity >= Self.smallestCapacity, block.capacity <= limit else { return [block] }
        blocks.append(block)
        byteCount += block.capacity
        return trim(to: limit)
    }

    /// Takes out blocks, what has lain longest first, until at most `target` bytes are left.
    mutating func trim(to target: Int) -> [PixelBlock] {
        var count = 0
        while byteCount > target, count < blocks.count {
            byteCount -= blocks[count].capacity
            count += 1
        }
        defer { blocks.removeFirst(count) }
        return Array(blocks[..<count])
    }

    mutating func setLimit(_ limit: Int) -> [PixelBlock] {
        self.limit = max(0, limit)
        return trim(to: self.limit)
    }
}

/// A piece of memory that no bitmap uses, or that one bitmap alone uses.
struct PixelBlock: Hashable, Sendable {
    let address: UInt
    let capacity: Int

    var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }
}
