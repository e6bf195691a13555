import Testing

@testable import TintypeSandbox

/// Which block of shared memory has which use.
@Suite struct WorkerMemoryTests {
    private static let megabyte = 1 << 20

    private static func state(_ capacities: Int...) -> WorkerMemoryState {
        var state = WorkerMemoryState()
        for (index, capacity) in capacities.enumerated() { state.add(index, UInt(index + 1) << 40, capacity) }
        return state
    }

    @Test func aBlockIsUsedAgainWhenNeitherSideNeedsIt() {
        var state = Self.state(4096)
        let address = UInt(1) << 40
        let unused = state.take(4096)
        #expect(unused == nil)
        let delivered = state.deliver(address)
        #expect(delivered == 0)
        // The host has it, so it cannot be delivered again.
        let deliveredAgain = state.deliver(address)
        #expect(deliveredAgain == nil)
        state.put(address)
        let whileDelivered = state.take(4096)
        #expect(whileDelivered == nil)
        state.takeBack(0)
        let afterReturn = state.take(4096)
        #expect(afterReturn == address)
    }

    @Test func theSmallestBlockThatFitsIsTaken() {
        var state = Self.state(16384, 8192, 4096)
        for block in 1...3 { state.put(UInt(block) << 40) }
        let smallest = state.take(5000)
        #expect(smallest == UInt(2) << 40)
        // The largest is more than twice as large.
        let tooLarge = state.take(5000)
        #expect(tooLarge == nil)
        let larger = state.take(9000)
        #expect(larger == UInt(1) << 40)
    }

    @Test func theLeastRecentlyUsedIdleBlocksAreGivenUp() {
        var state = Self.state(100 * Self.megabyte, 50 * Self.megabyte, 10 * Self.megabyte)
        for block in 1...3 { state.put(UInt(block) << 40) }
        let dropped = state.trim().map(\.number)
        #expect(dropped == [0])
        #expect(state.blocks.map(\.number) == [1, 2])
        let droppedAgain = state.trim()
        #expect(droppedAgain.isEmpty)
    }

    @Test func manySmallIdleBlocksAreGivenUp() {
        var state = WorkerMemoryState()
        for number in 1...100 {
            state.add(number, UInt(number) << 20, 65536)
            state.put(UInt(number) << 20)
        }
        let dropped = state.trim().map(\.number)
        #expect(dropped == Array(1...36))
    }

    @Test func blocksHaveWholePagesAndFewSizes() {
        #expect(SharedBlock.capacity(for: 1) == 4096)
        #expect(SharedBlock.capacity(for: 4097) == 8192)
        #expect(SharedBlock.capacity(for: 1 << 20) == 1 << 20)
        #expect(SharedBlock.capacity(for: 1 << 20 + 1) == 5 << 18)
        #expect(SharedBlock.capacity(for: .max) == .max)
    }

    // MARK: The host's side

    private static func block(_ number: Int, _ byteCount: Int = 4096) throws -> SharedBlock {
        try #require(SharedBlock(number, byteCount: byteCount, isWritable: true) { _ in true })
    }

    @Test func aWorkerDeliversABlockOnce() throws {
        var blocks = SharedBlocks()
        blocks.addOutput(try Self.block(1))
        let unknown = blocks.deliver(2)
        #expect(unknown == nil)
        #expect(blocks.workerBytes == 4096)
        let delivered = blocks.deliver(1)
        let deliveredAgain = blocks.deliver(1)
        #expect(delivered != nil && deliveredAgain == nil)
        #expect(blocks.workerBytes == 0)
        // It cannot be dropped while the host reads it.
        let isDroppedEarly = blocks.drop(outputs: [1])
        #expect(!isDroppedEarly)
        blocks.takeBack([1])
        let isDropped = blocks.drop(outputs: [1])
        let isDroppedAgain = blocks.drop(outputs: [1])
        #expect(isDropped && !isDroppedAgain)
    }

    @Test func anInputIsReleasedOnce() throws {
        var blocks = SharedBlocks()
        blocks.addInput(try Self.block(1))
        let unreleased = blocks.takeInput(100)
        #expect(unreleased == nil)
        let isReleased = blocks.release(inputs: [1])
        let isReleasedAgain = blocks.release(inputs: [1])
        let isUnknownReleased = blocks.release(inputs: [2])
        #expect(isReleased && !isReleasedAgain && !isUnknownReleased)
        let tooSmall = blocks.takeInput(5000)
        #expect(tooSmall == nil)
        let free = blocks.takeInput(4096)?.number
        #expect(free == 1)
    }

    @Test func theBytesOfTheWorkerAreASum() throws {
        var blocks = SharedBlocks()
        for number in 1...3 { blocks.addOutput(try Self.block(number, 4096 * number)) }
        _ = blocks.deliver(2)
        #expect(blocks.workerBytes == 4 * 4096)
        blocks.takeBack([2, 2, 9])
        #expect(blocks.workerBytes == 6 * 4096)
        let isDropped = blocks.drop(outputs: [3])
        #expect(isDropped && blocks.workerBytes == 3 * 4096)
    }

    /// A worker may still map what it says it has dropped, or not released.
    @Test func whatAWorkerMayHoldIsLimited() throws {
        var (dropping, keeping) = (SharedBlocks(), SharedBlocks())
        for number in 1...5 {
            #expect(!dropping.holdTooMuch(for: 4096) && !keeping.holdTooMuch(for: 4096))
            dropping.addOutput(try Self.block(number))
            let isDropped = dropping.drop(outputs: [number])
            #expect(isDropped)
            keeping.addInput(try Self.block(number))
        }
        #expect(dropping.holdTooMuch(for: 4096) && keeping.holdTooMuch(for: 4096))
        let isReleased = keeping.release(inputs: [1, 2, 3, 4, 5])
        #expect(isReleased && !keeping.holdTooMuch(for: 4096))
        _ = keeping.takeInput(4096)
        #expect(!keeping.holdTooMuch(for: 4096))
    }
}
