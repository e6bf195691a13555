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
        let result1 = state.take(4096)
        #expect(result1 == nil)
        let result2 = state.deliver(address)
        #expect(result2 == 0)
        // The host has it, so it cannot be delivered again.
        let result3 = state.deliver(address)
        #expect(result3 == nil)
        state.put(address)
        let result4 = state.take(4096)
        #expect(result4 == nil)
        state.takeBack(0)
        let result5 = state.take(4096)
        #expect(result5 == address)
    }

    @Test func theSmallestBlockThatFitsIsTaken() {
        var state = Self.state(16384, 8192, 4096)
        for block in 1...3 { state.put(UInt(block) << 40) }
        let result6 = state.take(5000)
        #expect(result6 == UInt(2) << 40)
        // The largest is more than twice as large.
        let result7 = state.take(5000)
        #expect(result7 == nil)
        let result8 = state.take(9000)
        #expect(result8 == UInt(1) << 40)
    }

    @Test func theLeastRecentlyUsedIdleBlocksAreGivenUp() {
        var state = Self.state(100 * Self.megabyte, 50 * Self.megabyte, 10 * Self.megabyte)
        for block in 1...3 { state.put(UInt(block) << 40) }
        let result9 = state.trim().map(\.number)
        #expect(result9 == [0])
        #expect(state.blocks.map(\.number) == [1, 2])
        let result10 = state.trim()
        #expect(result10.isEmpty)
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
        let result11 = blocks.deliver(2)
        #expect(result11 == nil)
        #expect(blocks.workerBytes == 4096)
        let result13 = blocks.deliver(1)
        let result12 = blocks.deliver(1)
        #expect(result13 != nil && result12 == nil)
        #expect(blocks.workerBytes == 0)
        // It cannot be dropped while the host reads it.
        let result14 = blocks.drop(outputs: [1])
        #expect(!result14)
        blocks.takeBack([1])
        let result16 = blocks.drop(outputs: [1])
        let result15 = blocks.drop(outputs: [1])
        #expect(result16 && !result15)
    }

    @Test func anInputIsReleasedOnce() throws {
        var blocks = SharedBlocks()
        blocks.addInput(try Self.block(1))
        let result17 = blocks.takeInput(100)
        #expect(result17 == nil)
        let result20 = blocks.release(inputs: [1])
        let result19 = blocks.release(inputs: [1])
        let result18 = blocks.release(inputs: [2])
        #expect(result20 && !result19 && !result18)
        let result21 = blocks.takeInput(5000)
        #expect(result21 == nil)
        let result22 = blocks.takeInput(4096)?.number
        #expect(result22 == 1)
    }
}
