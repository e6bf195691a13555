import Foundation
import TestSupport
import Testing

@testable import TintypeCore

@Suite(.timeLimited) struct WriteTests {
    /// Another process can make the pipe that is the standard output of this one non-blocking.
    @Test func aFullPipeIsWaitedForEvenIfItDoesNotBlock() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (source, sink) = (ends[0], ends[1])
        defer { close(source) }
        #expect(fcntl(sink, F_SETFL, O_NONBLOCK) == 0)
        let data = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let number = Locked<Int32?>(nil)
        // A thread of its own, because this test blocks one of the few that run tasks.
        Thread.detachNewThread {
            let result = data.withUnsafeBytes { $0.write(to: sink) }
            number.withLock { $0 = result }
            close(sink)
        }
        let received = FileHandle(fileDescriptor: source).readDataToEndOfFile()
        #expect(received == data)
        #expect(number.withLock { $0 } == 0)
    }
}
