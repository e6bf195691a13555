import Foundation
import HostileDecoders
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSandbox

/// The memory of workers, private and shared.
@Suite(.timeLimited, .needsRestrictions) struct GreedyDecoderTests {
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

    /// The bitmap of an image that is decoded, but fails afterwards, is used again.
    @Test func aFailureAfterTheDecodeLeavesNothing() throws {
        let pool = WorkerPool(SandboxConfiguration())
        expectError(.outOfMemory) { try Self.decode(.tooLargeRange, pool) }
        _ = try Self.decode(.plain, pool, memoryBytes: 256 << 20)
        #expect(pool.processes.count == 1)
        let lease = try pool.lease(SandboxedDecoder(GreedyDecoder(), pool).kind, DecodeContext())
        defer { pool.release(lease, isUsable: true) }
        #expect(lease.worker.blocks.outputs.count == 1)
    }

    /// Decodes images that are shown at the same time and then all released, so that their bitmaps go back to the
    /// worker.
    private static func leaveBitmaps(_ count: Int, in pool: WorkerPool) throws {
        let images = try (0..<count).map { _ in try decode(.plain, pool, memoryBytes: 512 << 20) }
        #expect(images.count == count)
    }

    /// What a worker holds of former images counts as well, so that an image may fail only because of them.
    @Test func formerImagesTakeNoMemoryFromTheNext() throws {
        let pool = WorkerPool(SandboxConfiguration())
        try Self.leaveBitmaps(4, in: pool)
        let processes = pool.processes
        #expect(try Self.decode(.most, pool, memoryBytes: 256 << 20).size.width == 2048)
        // Another worker has decoded it.
        #expect(pool.processes.subtracting(processes).count == 1)
    }

    @Test func aWorkerThatHoldsMuchIsReplacedBeforeTheNextImage() throws {
        let pool = WorkerPool(SandboxConfiguration())
        try Self.leaveBitmaps(8, in: pool)
        let processes = pool.processes
        #expect(processes.count == 1)
        #expect(try Self.decode(.plain, pool, memoryBytes: 256 << 20).size.width == 2048)
        #expect(pool.processes.count == 1 && pool.processes.isDisjoint(with: processes))
    }

    /// Only the limit of the request decides, not what a worker that has been taken over says.
    @Test func anImageBeyondTheLimitOfPixelsIsRefusedByTheHost() throws {
        let pool = WorkerPool(SandboxConfiguration())
        var context = DecodeContext()
        context.limits.pixels = 2048 * 1536 - 1
        let error = #expect(throws: TintypeError.self) {
            try SandboxedDecoder(GreedyDecoder(), pool).decode(GreedyDecoder.bytes(.plain), context: context)
        }
        #expect(error?.limit == .pixels, "\(String(describing: error))")
    }
}
