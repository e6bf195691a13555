/// Which idle memory a ``PixelPool`` keeps, and which it gives back.
///
/// It knows no clock: times are since any moment that stays the same.
struct PixelPoolState: Sendable {
    private(set) var limit: Int
    private(set) var byteCount = 0
    /// How long a block may lie idle.
    private let lifetime: Duration
    /// From the one that has lain longest to the one that came last. Few, since all together are below the limit and
    /// each is at least ``smallestCapacity``.
    private var idle: [(block: PixelBlock, since: Duration)] = []
    /// Whether someone will come when the one that has lain longest has lain too long.
    private var isWatched = false

    init(limit: Int, lifetime: Duration = .seconds(30)) {
        self.limit = max(0, limit)
        self.lifetime = lifetime
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
        guard let index = idle.lastIndex(where: { $0.block.capacity == capacity }) else { return nil }
        byteCount -= capacity
        return idle.remove(at: index).block
    }

    /// Keeps a block; returns those to give back for it, and in how long ``expire(at:)`` has to be called, where no one
    /// was told yet.
    mutating func put(_ block: PixelBlock, at now: Duration) -> (released: [PixelBlock], wait: Duration?) {
        guard block.capacity >= Self.smallestCapacity, block.capacity <= limit else { return ([block], nil) }
        idle.append((block, now))
        byteCount += block.capacity
        defer { isWatched = true }
        return (trim(to: limit), isWatched ? nil : lifetime)
    }

    /// Takes out what has lain too long; returns it, and in how long to come again, where anything is left.
    mutating func expire(at now: Duration) -> (released: [PixelBlock], wait: Duration?) {
        let released = takeOut(idle.prefix { $0.since + lifetime <= now }.count)
        isWatched = !idle.isEmpty
        return (released, idle.first.map { $0.since + lifetime - now })
    }

    /// Takes out blocks, what has lain longest first, until at most `target` bytes are left.
    mutating func trim(to target: Int) -> [PixelBlock] {
        var (count, left) = (0, byteCount)
        while left > target, count < idle.count {
            left -= idle[count].block.capacity
            count += 1
        }
        return takeOut(count)
    }

    /// The first so many.
    private mutating func takeOut(_ count: Int) -> [PixelBlock] {
        let blocks = idle[..<count].map(\.block)
        idle.removeFirst(count)
        byteCount -= blocks.reduce(0) { $0 + $1.capacity }
        return blocks
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
