import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct DecodeTimeTests {
    private let clock = ManualClock()

    private func run(_ seconds: Int, isCancelled: @escaping @Sendable () -> Bool = { false }) throws(TintypeError)
        -> Int
    {
        let time = DecodeTime(limit: .seconds(10), source: clock.timeSource)
        return try time.run(isCancelled: isCancelled) { isCancelled throws(TintypeError) in
            for second in 0..<seconds {
                clock.advance(by: .seconds(1))
                if isCancelled() { throw .cancelled }
                if second > 100 { return -1 }
            }
            return seconds
        }
    }

    @Test func aResultInTimeIsReturned() throws {
        #expect(try run(10) == 10)
    }

    @Test func exceedingTheTimeIsALimitAndNotACancellation() {
        let error = expectError(.limitExceeded) { try run(50) }
        #expect(error?.limit == .time)
        #expect(clock.uptime == .seconds(11))
    }

    @Test func aCancelledDecodeThrowsCancelled() {
        let error = expectError(.cancelled) { try run(50, isCancelled: { true }) }
        #expect(error?.limit == nil)
    }

    @Test func aWithdrawnCancellationInTimeIsNotALimit() {
        let calls = Shared(0)
        expectError(.cancelled) {
            try run(50) {
                calls.withLock { $0 += 1 }
                return calls.now == 1
            }
        }
    }

    @Test func otherErrorsPassUnchanged() {
        expectError(.transformFailed) {
            try DecodeTime().run(isCancelled: { false }) { _ throws(TintypeError) in throw .transformFailed("no") }
        }
    }

    /// Reading the size before an image is cropped or resized.
    @Test func slowHeadersAreLimitedToo() {
        var context = DecodeContext()
        (context.options.sizeScope, context.limits.time) = (.all, .seconds(5))
        let (decoder, limited) = (SlowHeader(clock: clock), context)
        let error = expectError(.limitExceeded) {
            _ = try decoder.decodeChecked(Data(), context: limited, time: clock.timeSource)
        }
        #expect(error?.limit == .time && clock.uptime == .seconds(6))
    }

    /// A decoder that reads the size for as long as it may.
    private struct SlowHeader: LimitedInfoDecoder {
        let clock: ManualClock
        let formats: Set<ImageFormat> = []

        func info(of bytes: Data, isComplete: Bool) -> ImageInfo? { nil }

        func info(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo? {
            for _ in 0..<100 {
                try context.checkCancelled()
                clock.advance(by: .seconds(1))
            }
            return nil
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            throw .transformFailed("the header should have taken too long")
        }
    }

    // MARK: Animations

    private func animation(frames: Int) throws -> DrawnAnimation {
        let size = PixelSize(width: 2, height: 2)
        let frame = AnimationFrame(rect: PixelRect(x: 0, y: 0, size: size), duration: 0.1)
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size)
        return DrawnAnimation(
            canvas: size, frames: Array(repeating: frame, count: frames),
            images: Array(repeating: white, count: frames))
    }

    /// Decodes an animation with all frames. The time passes while its decoder polls for cancellation.
    private func verify(_ animation: DrawnAnimation, _ seconds: @escaping @Sendable () -> Int) throws(TintypeError) {
        var context = DecodeContext(isCancelled: { [clock] in
            clock.advance(by: .seconds(seconds()))
            return false
        })
        (context.verifiesAllFrames, context.limits.time) = (true, .seconds(20))
        _ = try animation.decodeChecked(Data(), context: context, time: clock.timeSource)
    }

    @Test func eachVerifiedFrameHasTheTimeOfADecode() throws {
        let animation = try animation(frames: 40)
        try verify(animation) { 1 }
        #expect(clock.uptime >= .seconds(40) && Set(animation.decoded.now) == Set(0..<40))
    }

    @Test func allVerifiedFramesHaveTenTimesThatTime() throws {
        let animation = try animation(frames: 40)
        let decoded = animation.decoded
        let error = expectError(.limitExceeded) {
            // Each frame takes 19 s, at its first check.
            let slow = Shared(Set<Int>())
            try verify(animation) { slow.withLock { $0.insert(decoded.now.count).inserted } ? 19 : 0 }
        }
        #expect(error?.limit == .time && (10...12).contains(decoded.now.count))
    }

    @Test func aVerifiedFrameThatTakesLongerExceedsTheLimit() throws {
        let animation = try animation(frames: 40)
        let decoded = animation.decoded
        let error = expectError(.limitExceeded) { try verify(animation) { decoded.now.count == 3 ? 21 : 0 } }
        #expect(error?.limit == .time && decoded.now == [0, 1, 2])
    }
}
