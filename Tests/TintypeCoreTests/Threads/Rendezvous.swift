import Foundation

@testable import TintypeCore

/// A point that no thread passes before all have reached it.
struct Rendezvous: ~Copyable {
    private let missing: Locked<Int>
    private let count: Int
    private let all = DispatchSemaphore(value: 0)

    init(of count: Int) {
        self.count = count
        missing = Locked(count)
    }

    /// The number of threads that have reached the point.
    var arrivedCount: Int { count - missing.withLock { $0 } }

    func wait() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { for _ in 0..<count { all.signal() } }
        all.wait()
    }
}
