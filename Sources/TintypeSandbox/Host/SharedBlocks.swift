import CTintypeSandbox
import Foundation
import TintypeCore

/// Memory that a worker maps as well.
///
/// `@unchecked Sendable` because the mapping is never changed: input blocks are written only by the thread that has the
/// worker, and output blocks are read-only here.
final class SharedBlock: @unchecked Sendable {
    let number: Int
    let bytes: UnsafeMutableRawBufferPointer

    /// Maps new memory, and passes its descriptor to `send`.
    ///
    /// - Returns: `nil` if there is not enough memory, or if `send` returns `false`.
    init?(_ number: Int, byteCount: Int, isWritable: Bool, _ send: (_ descriptor: Int32) -> Bool) {
        let descriptor = tintype_memory_create(byteCount)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let access = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        guard let address = mmap(nil, byteCount, access, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
            return nil
        }
        self.number = number
        bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
        guard send(descriptor) else { return nil }
    }

    deinit {
        munmap(bytes.baseAddress, bytes.count)
    }

    /// Returns the size of a block for some bytes: whole pages, in four sizes for each power of two, so that images of
    /// similar sizes share blocks.
    static func capacity(for byteCount: Int) -> Int {
        let step = max(4096, 1 << (Int.bitWidth - 1 - max(byteCount, 1).leadingZeroBitCount - 2))
        let (sum, overflow) = byteCount.addingReportingOverflow(step - 1)
        return overflow ? byteCount : sum / step * step
    }
}

/// The numbers of output blocks that images no longer use, until the worker is told.
final class ReturnedBlocks: Sendable {
    private let numbers = Locked<[Int]>([])

    func add(_ number: Int) {
        numbers.withLock { $0.append(number) }
    }

    func take() -> [Int] {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}

/// The output block of an image. Returns it to the worker when the last bitmap over it is released.
final class DeliveredBlock: Sendable {
    private let block: SharedBlock
    private let returned: ReturnedBlocks

    init(_ block: SharedBlock, _ returned: ReturnedBlocks) {
        (self.block, self.returned) = (block, returned)
    }

    deinit {
        returned.add(block.number)
    }

    /// The rows, valid as long as this object lives.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(block.bytes) }
}

/// The blocks of one worker, as the host sees them.
struct SharedBlocks {
    private(set) var inputs: [Int: SharedBlock] = [:]
    /// Input blocks that no decoder of the worker refers to.
    private var freeInputs: Set<Int> = []
    private(set) var outputs: [Int: SharedBlock] = [:]
    /// Output blocks that images of the host use.
    private var delivered: Set<Int> = []
    /// The number of bytes of output blocks that only the worker uses.
    private(set) var workerBytes = 0
    /// The number of bytes of input blocks that a decoder of the worker may refer to.
    private var usedInputBytes = 0
    /// The number of bytes of all blocks that one side has given up so far. A worker that has been taken over may still
    /// map them.
    private var droppedBytes = 0
    private var lastNumber = 0

    /// The largest number of output blocks that the worker uses after a request, and gets for one. Each is a mapping of
    /// the host, which can have only 65,530.
    static let maximumWorkerBlocks = 256
    /// The largest number of input blocks that decoders of the worker refer to.
    private static let maximumUsedInputs = 1024
    /// The number of bytes of free input blocks beyond which the largest is given up.
    private static let freeLimit = 32 << 20

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Input

    /// Takes the smallest free input block that is large enough.
    mutating func takeInput(_ byteCount: Int) -> SharedBlock? {
        let fitting = freeInputs.compactMap { inputs[$0] }.filter { $0.bytes.count >= byteCount }
        guard let block = fitting.min(by: { $0.bytes.count < $1.bytes.count }) else { return nil }
        freeInputs.remove(block.number)
        usedInputBytes += block.bytes.count
        return block
    }

    /// Adds an input block, in use.
    mutating func addInput(_ block: SharedBlock) {
        inputs[block.number] = block
        usedInputBytes += block.bytes.count
    }

    /// Marks input blocks as free.
    ///
    /// - Returns: Whether all of them were in use.
    mutating func release(inputs released: [Int]) -> Bool {
        for number in released {
            guard let block = inputs[number], freeInputs.insert(number).inserted else { return false }
            usedInputBytes -= block.bytes.count
        }
        return true
    }

    /// Removes free input blocks beyond a limit, the largest first; returns their numbers.
    mutating func trimInputs() -> [Int] {
        var free = freeInputs.compactMap { inputs[$0] }.sorted { $0.bytes.count < $1.bytes.count }
        var total = free.reduce(0) { $0 + $1.bytes.count }
        var dropped: [Int] = []
        while total > Self.freeLimit, let block = free.popLast() {
            total -= block.bytes.count
            droppedBytes += block.bytes.count
            dropped.append(block.number)
            freeInputs.remove(block.number)
            inputs[block.number] = nil
        }
        return dropped
    }

    // MARK: Output

    /// Adds an output block, in use by the worker.
    mutating func addOutput(_ block: SharedBlock) {
        outputs[block.number] = block
        workerBytes += block.bytes.count
    }

    /// Takes over an output block from the worker.
    ///
    /// - Returns: `nil` if the worker does not have it.
    mutating func deliver(_ number: Int) -> SharedBlock? {
        guard let block = outputs[number], delivered.insert(number).inserted else { return nil }
        workerBytes -= block.bytes.count
        return block
    }

    /// Gives blocks back to the worker.
    mutating func takeBack(_ numbers: [Int]) {
        for number in numbers where delivered.remove(number) != nil { workerBytes += outputs[number]?.bytes.count ?? 0 }
    }

    /// Removes output blocks that the worker has given up.
    ///
    /// - Returns: Whether it had all of them.
    mutating func drop(outputs dropped: [Int]) -> Bool {
        for number in dropped {
            guard let block = outputs[number], !delivered.contains(number) else { return false }
            outputs[number] = nil
            workerBytes -= block.bytes.count
            droppedBytes += block.bytes.count
        }
        return true
    }

    // MARK: Memory over many images

    /// Whether the worker may hold so much that another one must take its place.
    ///
    /// - Parameter memoryBytes: The memory that it may use for an image.
    func holdTooMuch(for memoryBytes: Int) -> Bool {
        (droppedBytes + usedInputBytes) / 4 > memoryBytes || inputs.count - freeInputs.count > Self.maximumUsedInputs
            || outputs.count - delivered.count > Self.maximumWorkerBlocks
    }
}
