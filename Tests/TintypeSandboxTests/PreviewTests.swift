import Foundation
import HostileDecoders
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSandbox

/// Images that are shown while they arrive, by a decoder in a worker.
@Suite(.timeLimited) struct PreviewTests {
    private static let part = 300 << 10

    private static func colour(_ image: Image?) -> Pixel? { image.map { $0.pixels[0, 0] } }

    private static func expected(_ bytes: Data) throws -> Pixel { try LateDecoder.pixels(bytes)[0, 0] }

    @Test func previewsContinueInAnotherWorkerAfterTheirOwnHasEnded() throws {
        let pool = WorkerPool(SandboxConfiguration())
        let bytes = LateDecoder.bytes(count: 4 * Self.part, isAnimated: false)
        let previews = SandboxedPreviews(SandboxedDecoder(LateDecoder(), pool), DecodeContext())
        #expect(Self.colour(try previews.append(bytes[..<Self.part])) == (try Self.expected(bytes[..<Self.part])))
        let first = pool.processes
        pool.endIdleWorkers()
        for part in 2...4 {
            let arrived = bytes[..<(part * Self.part)]
            let image = try previews.append(bytes[((part - 1) * Self.part)..<(part * Self.part)])
            #expect(Self.colour(image) == (try Self.expected(arrived)))
        }
        #expect(pool.processes.isDisjoint(with: first))
    }

    /// The frames are decoded from all bytes, however many came before the one that shows that they are frames.
    @Test func anAnimationThatIsRecognizedLateHasAllItsBytes() throws {
        let bytes = LateDecoder.bytes(count: 8 * Self.part, isAnimated: true)
        let previews = SandboxedPreviews(
            SandboxedDecoder(LateDecoder(), WorkerPool(SandboxConfiguration())), DecodeContext())
        var image: Image?
        for part in 0..<8 { image = try previews.append(bytes[(part * Self.part)..<((part + 1) * Self.part)]) }
        #expect(image?.isAnimated == true)
        #expect(Self.colour(image) == (try Self.expected(bytes)))
    }
}
