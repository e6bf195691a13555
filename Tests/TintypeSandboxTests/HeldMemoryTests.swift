import Testing
import TintypeCore

@testable import TintypeSandbox

/// Which failures a new worker must confirm.
@Suite struct HeldMemoryTests {
    private static func limits() -> DecodeLimits {
        var limits = DecodeLimits()
        limits.memoryBytes = 800
        return limits
    }

    private static let outOfMemory = TintypeError(.outOfMemory, stage: .decode, "")
    private static let crashed = TintypeError(.decoderCrashed, stage: .decode, "")
    private static let damaged = TintypeError(.undecodable, stage: .decode, "")

    @Test(arguments: [
        (outOfMemory, 0, 0, false), (outOfMemory, 1, 0, true), (outOfMemory, 0, 1, true),
        (crashed, 0, 0, false), (crashed, 1, 0, true), (crashed, 0, 1, true),
        (TintypeError.exceeded(.memoryBytes, ""), 1, 0, true), (TintypeError.exceeded(.memoryBytes, ""), 0, 0, false),
        (TintypeError.exceeded(.pixels, ""), 800, 1, false), (TintypeError.exceeded(.time, ""), 800, 1, false),
        (damaged, 100, 9, false), (damaged, 101, 0, true), (TintypeError.cancelled, 800, 1, false),
    ])
    func aFailureMayBeForLackOfMemory(_ error: TintypeError, blocks: Int, decoders: Int, isExplained: Bool) {
        let held = HeldMemory(blocks: blocks, decoders: decoders)
        #expect(held.mayExplain(error, Self.limits()) == isExplained)
    }
}
