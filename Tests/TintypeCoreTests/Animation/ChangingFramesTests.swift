import Foundation
import TestSupport
import Testing

@testable import TintypeCore

/// Decoders that describe other frames each time, as a decoder in another process may.
@Suite struct ChangingFramesTests {
    private static let size = PixelSize(width: 2, height: 2)

    private static func composed(
        then second: @escaping @Sendable () -> ListedFrames
    ) throws(TintypeError) -> ComposedFrames {
        try ComposedFrames(ListedFrames(count: 3, isDamaged: true), byteCount: 1) { () throws(TintypeError) in
            second()
        }
    }

    /// Composes a frame after a failure, which needs a new decoder.
    private static func composeAgain(_ frames: ComposedFrames) throws(TintypeError) -> PixelBuffer {
        _ = try? frames.composeFrame(at: 2) { false }
        return try frames.composeFrame(at: 2) { false }
    }

    @Test func aDecoderWithTheSameFramesGoesOn() throws {
        let frames = try Self.composed { ListedFrames(count: 4) }
        #expect(try Self.composeAgain(frames).size == Self.size)
    }

    @Test(arguments: [
        ListedFrames(count: 2), ListedFrames(count: 3, canvas: PixelSize(width: 9, height: 9)),
        ListedFrames(count: 3, offset: 1),
    ])
    func aDecoderWithOtherFramesIsAnError(_ second: ListedFrames) throws {
        let frames = try Self.composed { second }
        let error = expectError(.undecodable) { try Self.composeAgain(frames) }
        #expect(error?.message.contains("other frames") == true)
    }

    @Test(arguments: [PixelSize(width: 2, height: 2), PixelSize(width: 9, height: 9)])
    func framesThatArriveBelongToTheSameAnimation(_ canvas: PixelSize) throws {
        let frames = try ComposedFrames(ListedFrames(count: 1), byteCount: 1) { () throws(TintypeError) in
            ListedFrames(count: 1)
        }
        func update() throws(TintypeError) {
            try frames.update(ListedFrames(count: 3, canvas: canvas), byteCount: 2) { () throws(TintypeError) in
                ListedFrames(count: 3)
            }
        }
        if canvas == Self.size { try update() } else { expectError(.undecodable) { try update() } }
        #expect(frames.frames.count == (canvas == Self.size ? 3 : 1))
    }
}

/// Frames of 2 × 2 pixels.
final class ListedFrames: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount = 0
    let frames: [AnimationFrame]
    private let isDamaged: Bool

    init(
        count: Int, canvas: PixelSize = PixelSize(width: 2, height: 2), offset: Int = 0, isDamaged: Bool = false
    ) {
        let rect = PixelRect(x: offset, y: 0, size: PixelSize(width: 2, height: 2))
        frames = [AnimationFrame](repeating: AnimationFrame(rect: rect, duration: .nan), count: count)
        (canvasSize, self.isDamaged) = (canvas, isDamaged)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        if isDamaged { throw TintypeError(.undecodable, stage: .decode, "damaged") }
        var writer = try PixelWriter(size: PixelSize(width: 2, height: 2))
        writer.clear()
        return writer.finish()
    }
}
