import Foundation
import TestSupport
import Testing

@testable import TintypeCore

@Suite(.timeLimited) struct SpareThreadsTests {
    @Test(arguments: [0, 1, 2, 9]) func eachThreadHasANumber(_ count: Int) {
        let numbers = Locked<[Int]>([])
        SpareThreads.run(count) { number in numbers.withLock { $0.append(number) } }
        #expect(numbers.withLock { $0.sorted() } == Array(0..<max(1, count)))
    }

    @Test func theCallerIsTheFirstThread() {
        let callers = Locked(0)
        let caller = UInt(bitPattern: pthread_self().hashValue)
        SpareThreads.run(3) { number in
            let isCaller = UInt(bitPattern: pthread_self().hashValue) == caller
            if isCaller { callers.withLock { $0 += number == 0 ? 1 : 100 } }
        }
        #expect(callers.withLock { $0 } == 1)
    }

    /// All of them wait for each other.
    @Test func theThreadsRunAtOnce() {
        let all = Rendezvous(of: 4)
        SpareThreads.run(4) { _ in all.wait() }
        #expect(all.arrivedCount == 4)
    }
}
