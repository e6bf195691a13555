import Foundation
import HostileDecoders
import Testing
import TintypeCore

@testable import TintypeSandbox

/// The memory of workers, private and shared.
@Suite(.timeLimit(.minutes(5)), .needsRestrictions) struct GreedyDecoderTests {
    private static func decode(
        _ behavior: GreedyDecoder.Behavior, _ pool: WorkerPool, memoryBytes: Int = 32 << 20
    ) throws(TintypeError) -> Image {
        var context = DecodeContext()
        context.options.damageTolerance = .none
        context.limits.memoryBytes = memoryBytes
        return try SandboxedDecoder(GreedyDecoder(), pool).decode(GreedyDecoder.bytes(behavior), context: context)
    }

    @Test func privateAndSharedMemoryCountTogether() throws {
        let pool = WorkerPool(SandboxConfiguration())
        let error = #expect(throws: TintypeError.self) { try Self.decode(.both, pool, memoryBytes: 256 << 20) }
        // Not the refusal of the private memory, which the limit permits.
        #expect(error?.code == .outOfMemory || error?.limit == .memoryBytes, "\(String(describing: error))")
        #expect(try Self.decode(.plain, pool).size.width == 2048)
    }

    /// Four images that are decoded, but fail afterwards, would leave no memory for the fifth.
    @Test func aFailureAfterTheDecodeLeavesNothing() throws {
        let pool = WorkerPool(SandboxConfiguration())
        _ = try Self.decode(.plain, pool)
        let processes = pool.processes
        for _ in 0..<4 {
            let error = #expect(throws: TintypeError.self) { try Self.decode(.tooLargeRange, pool) }
            #expect(error?.code == .outOfMemory)
        }
        #expect(try Self.decode(.plain, pool).size.width == 2048)
        #expect(pool.processes == processes)
    }
}
