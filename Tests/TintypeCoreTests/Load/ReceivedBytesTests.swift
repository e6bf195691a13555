import Foundation
import TestSupport
import Testing

@testable import TintypeCore

@Suite(.timeLimited) struct ReceivedBytesTests {
    private let whole = Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })

    @Test func aCompleteBodyIsNotCopied() throws {
        let reports = Locked(0)
        let received = ReceivedBytes(limit: whole.count) { _ in reports.withLock { $0 += 1 } }
        try received.expect(whole.count)
        try received.setAll(to: whole)
        #expect(received.progress == LoadProgress(received: whole.count, expected: whole.count))
        #expect(reports.withLock { $0 } == 2)
        #expect(received.bytes(from: 29_990) == whole.suffix(10))
        let taken = received.take()
        #expect(taken == whole && received.progress.received == 0)
        #expect(taken.withUnsafeBytes { $0.baseAddress } == whole.withUnsafeBytes { $0.baseAddress })
    }

    @Test func aCompleteBodyBeyondTheLimitIsRefused() throws {
        let received = ReceivedBytes(limit: whole.count - 1)
        expectError(.limitExceeded) { try received.setAll(to: whole) }
        #expect(received.progress.received == 0)
    }
}
