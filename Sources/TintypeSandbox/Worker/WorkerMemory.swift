import CTintypeSandbox
import Foundation
import TintypeCore

/// The output memory of a worker: blocks that the host has granted and maps as well. Large bitmaps are allocated in
/// them, so that a result reaches the host without a copy.
final class WorkerMemory: PixelMemory {
    /// Asks the host for a block; returns its number and its descriptor, or `nil` if the host grants none.
    typealias Request = @Sendable (_ byteCount: Int) throws(WireError) -> Grant?

    /// A block from the host.
    typealias Grant = (block: Int, capacity: Int, descriptor: Int32)

    private let state = Locked(WorkerMemoryState())
    private let hasFailed = Locked(false)
    private let thread = pthread_self()
    private let request: Request

    /// Creates memory for the calling thread. Bitmaps of other threads are allocated from the heap.
    init(_ request: @escaping Request) {
        self.request = request
    }

    deinit {
        for block in state.withLock({ $0.blocks }) { Self.unmap(block) }
    }

    func take(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        guard pthread_equal(pthread_self(), thread) != 0 else { return nil }
        if let address = state.withLock({ $0.take(byteCount) }) { return UnsafeMutableRawPointer(bitPattern: address) }
        guard let granted = grant(byteCount) else { return nil }
        defer { close(granted.descriptor) }
        guard granted.capacity >= byteCount, tintype_memory_is_fixed(granted.descriptor, granted.capacity),
            let address = mmap(nil, granted.capacity, PROT_READ | PROT_WRITE, MAP_SHARED, granted.descriptor, 0),
            address != MAP_FAILED
        else { return nil }
        state.withLock { $0.add(granted.block, UInt(bitPattern: address), granted.capacity) }
        return address
    }

    /// Whether the host has answered with something else than a grant. It is not asked again.
    var isBroken: Bool { hasFailed.withLock { $0 } }

    private func grant(_ byteCount: Int) -> Grant? {
        guard !isBroken else { return nil }
        do throws(WireError) {
            return try request(byteCount)
        } catch {
            hasFailed.withLock { $0 = true }
            return nil
        }
    }

    func put(_ address: UnsafeMutableRawPointer) {
        state.withLock { $0.put(UInt(bitPattern: address)) }
    }

    /// Gives the block of a bitmap to the host.
    ///
    /// - Returns: The number of the block; `nil` if the bitmap is not at the beginning of one, or the host has it
    ///   already.
    func deliver(_ address: UnsafeRawPointer) -> Int? { state.withLock { $0.deliver(UInt(bitPattern: address)) } }

    /// Takes back blocks that the host no longer reads.
    func takeBack(_ blocks: [Int]) {
        state.withLock { state in for block in blocks { state.takeBack(block) } }
    }

    /// Unmaps idle blocks beyond a limit; returns their numbers.
    func trim() -> [Int] {
        let dropped = state.withLock { $0.trim() }
        for block in dropped { Self.unmap(block) }
        return dropped.map(\.number)
    }

    private static func unmap(_ block: WorkerMemoryState.Block) {
        munmap(UnsafeMutableRawPointer(bitPattern: block.address), block.capacity)
    }
}

/// Decides which block of output memory is used for which bitmap.
struct WorkerMemoryState: Sendable {
    /// A block, and who uses it.
    struct Block: Equatable, Sendable {
        let number: Int
        let address: UInt
        let capacity: Int
        /// Whether a bitmap of the worker is in it.
        var isHeldHere = true
        /// Whether the host reads it.
        var isDelivered = false
        /// The count of takes at its last use.
        var lastUse = 0

        var isIdle: Bool { !isHeldHere && !isDelivered }
    }

    /// The number of bytes of idle blocks beyond which the least recently used ones are given up.
    static let idleLimit = 128 << 20
    /// The number of idle blocks beyond which the least recently used ones are given up. The host has mappings for few.
    static let idleBlockLimit = 64

    private(set) var blocks: [Block] = []
    private var useCount = 0

    /// Takes the smallest idle block that is large enough and at most twice as large; returns its address.
    mutating func take(_ byteCount: Int) -> UInt? {
        let fitting = blocks.indices.filter {
            blocks[$0].isIdle && blocks[$0].capacity >= byteCount && blocks[$0].capacity / 2 <= byteCount
        }
        guard let index = fitting.min(by: { blocks[$0].capacity < blocks[$1].capacity }) else { return nil }
        useCount += 1
        (blocks[index].isHeldHere, blocks[index].lastUse) = (true, useCount)
        return blocks[index].address
    }

    /// Adds a block, in use.
    mutating func add(_ number: Int, _ address: UInt, _ capacity: Int) {
        useCount += 1
        blocks.append(Block(number: number, address: address, capacity: capacity, lastUse: useCount))
    }

    mutating func put(_ address: UInt) {
        guard let index = blocks.firstIndex(where: { $0.address == address }) else { return }
        blocks[index].isHeldHere = false
    }

    mutating func deliver(_ address: UInt) -> Int? {
        guard let index = blocks.firstIndex(where: { $0.address == address }), !blocks[index].isDelivered else {
            return nil
        }
        blocks[index].isDelivered = true
        return blocks[index].number
    }

    mutating func takeBack(_ number: Int) {
        guard let index = blocks.firstIndex(where: { $0.number == number }) else { return }
        blocks[index].isDelivered = false
    }

    /// Removes idle blocks, least recently used first, until at most ``idleLimit`` bytes and ``idleBlockLimit`` blocks
    /// are idle.
    mutating func trim() -> [Block] {
        let idle = blocks.filter(\.isIdle).sorted { $0.lastUse < $1.lastUse }
        var left = idle.reduce(0) { $0 + $1.capacity }
        var dropped: [Block] = []
        for block in idle where left > Self.idleLimit || idle.count - dropped.count > Self.idleBlockLimit {
            left -= block.capacity
            dropped.append(block)
        }
        let numbers = Set(dropped.map(\.number))
        if !numbers.isEmpty { blocks.removeAll { numbers.contains($0.number) } }
        return dropped
    }
}
