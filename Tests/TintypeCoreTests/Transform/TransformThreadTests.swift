import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Transforms of images that are so large that idle threads help.
@Suite(.timeLimited) struct TransformThreadTests {
    static let size = PixelSize(width: 451, height: 437)
    static let image = Result { () throws(TintypeError) in try noise(size) }

    static let transformers: [any ImageTransformer] = [
        ResizeTransformer(to: PixelSize(width: 200, height: 133), mode: .fill), BlurTransformer(radius: 3),
        SharpenTransformer(radius: 1),
        ResizeTransformer(to: PixelSize(width: 3, height: 300), mode: .stretch), RotateTransformer(degrees: 30),
        CropTransformer(to: PixelRect(x: 3, y: 5, size: PixelSize(width: 444, height: 430))),
        PadTransformer(top: 3, left: 5, bottom: 7, right: 9, color: .white),
        TransformerChain([ColorTransformer(.grey), RoundCornersTransformer(radius: 80), FlattenTransformer(on: .white)]
        ),
    ]

    @Test(arguments: transformers) func severalThreadsMakeTheSameImage(_ transformer: any ImageTransformer) throws {
        let image = try Self.image.get()
        let alone = try Self.run(on: nil) { () throws(TintypeError) in try transformer.transform(image) }
        let together = try Self.run(on: WorkQueue(name: "test", width: 3)) { () throws(TintypeError) in
            try transformer.transform(image)
        }
        #expect(PixelDifference(between: together, and: alone)?.maximum == 0)
    }

    /// Turning only moves pixels, so its strips have 8 MB.
    @Test(arguments: [FlipTransformer(vertical: true), RotateTransformer(degrees: 90)] as [any ImageTransformer])
    func severalThreadsTurnAnImage(_ transformer: any ImageTransformer) throws {
        let image = try PixelBuffer.makeRows(PixelSize(width: 1024, height: 5000)) { y, row in
            row.update(repeating: 0xFF00_0000 | UInt32(y))
        }
        let alone = try Self.run(on: nil) { () throws(TintypeError) in try transformer.transform(image) }
        let together = try Self.run(on: WorkQueue(name: "test", width: 3)) { () throws(TintypeError) in
            try transformer.transform(image)
        }
        #expect(together.changedRect(from: alone) == nil && alone.changedRect(from: image) != nil)
    }

    /// Each of three strips waits until all have begun.
    @Test func stripsOfALargeImageRunAtOnce() throws {
        let all = Rendezvous(of: 3)
        let strips = Strips(of: 3, bytesPerRow: 1 << 20, parts: 3)
        try Self.run(on: WorkQueue(name: "test", width: 3)) { () throws(TintypeError) in
            try strips.forEachAtOnce { _ in all.wait() }
        }
        #expect(all.arrivedCount == 3)
    }

    @Test func stripsOfASmallImageRunOnTheCallingThread() throws {
        let threads = Locked<Set<UInt>>([])
        try Self.run(on: WorkQueue(name: "test", width: 3)) { () throws(TintypeError) in
            try Strips(of: 100, bytesPerRow: 4096, parts: 100).forEachAtOnce { _ in
                threads.withLock { _ = $0.insert(UInt(bitPattern: pthread_self().hashValue)) }
            }
        }
        #expect(threads.withLock { $0 } == [UInt(bitPattern: pthread_self().hashValue)])
    }

    /// Also when the calling thread is not the one that notices it.
    @Test(arguments: transformers.prefix(3)) func aCancelledTransformThrows(_ transformer: any ImageTransformer) throws
    {
        let image = try Self.image.get()
        let checks = Locked(0)
        let context = Self.context(WorkQueue(name: "test", width: 3)) {
            checks.withLock { count in
                count += 1
                return count > 1
            }
        }
        expectError(.cancelled) {
            try context.run { () throws(TintypeError) in _ = try transformer.transform(image) }
        }
    }

    /// Every strip once, whichever thread is fast.
    @Test(arguments: [1, 2, 3, 7, 100, 1000]) func everyRowIsInOneStrip(_ parts: Int) throws {
        let rows = Locked<[Int]>([])
        try Self.run(on: WorkQueue(name: "test", width: 4)) { () throws(TintypeError) in
            try Strips(of: 100, bytesPerRow: 1 << 20, parts: parts).forEachAtOnce { strip in
                rows.withLock { $0 += strip }
            }
        }
        #expect(rows.withLock { $0.sorted() } == Array(0..<100))
    }

    private static func context(
        _ lender: WorkQueue?, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> TransformContext {
        var context = TransformContext(isCancelled: isCancelled)
        (context.lender, context.smallestShared) = (lender, 1 << 19)
        return context
    }

    private static func run<Value>(
        on lender: WorkQueue?, _ work: () throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        try context(lender).run(work)
    }

    private static func noise(_ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        var state: UInt32 = 1
        return try .makeRows(size) { _, row in
            for x in row.indices {
                state = state &* 1_664_525 &+ 1_013_904_223
                // Premultiplied: no channel is larger than alpha.
                row[x] = (state >> 8 & 0x7F7F7F) | 0x8000_0000 | (state & 0x7F00_0000)
            }
        }
    }
}
