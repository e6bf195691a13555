import Foundation
import TintypeCore
import TintypeTesting

@testable import TintypeShared

/// A shared cache over a fake store, with a clock that a test moves.
struct SharedFixture {
    let clock = ManualClock()
    let store: FakeSharedStore
    let cache: SharedCache
    let key = CacheKey(source: "https://example.org/a.png")
    let entry = CacheEntry(data: Data("payload".utf8), format: .png, metadata: Data("etag".utf8))

    /// - Parameter random: The random number of every jitter; 0.5 means none.
    init(
        maximumValueSize: Int = 64 << 20, random: Double = 0.5,
        change: (inout SharedCacheConfiguration) -> Void = { _ in }
    ) {
        store = FakeSharedStore(maximumValueSize: maximumValueSize, time: clock.timeSource)
        var configuration = SharedCacheConfiguration.patient
        change(&configuration)
        cache = SharedCache(store, configuration: configuration, clock: .manual(clock, random: random))
    }

    var name: String { SharedName.entry(key) }

    /// A cache of another machine with the same store.
    func otherMachine() -> SharedCache { SharedCache(store, configuration: .patient, clock: .manual(clock)) }

    static let failure = TintypeError(.transport, stage: .disk, "the connection broke")
}

extension SharedCacheConfiguration {
    /// Settings with which the limit of reads decides, however busy the machine is.
    static var patient: SharedCacheConfiguration {
        var configuration = SharedCacheConfiguration()
        configuration.readWait = .seconds(3600)...Duration.seconds(3600)
        return configuration
    }
}

extension StoreClock {
    /// A clock that a test moves. Its waits end only when they are cancelled, so no time limit is ever reached.
    static func manual(_ clock: ManualClock, random: Double = 0.5) -> StoreClock {
        StoreClock(
            time: clock.timeSource,
            sleep: { _ in
                let never = Gate()
                guard await never.wait() else { throw CancellationError() }
            }, random: { random })
    }

    /// A clock whose waits end at once.
    static func impatient(_ clock: ManualClock) -> StoreClock {
        StoreClock(time: clock.timeSource, sleep: { _ in }, random: { 0.5 })
    }
}

/// Calls the blocking method, which async code would not pick.
func blockingEntry(_ cache: any DataCaching, _ key: CacheKey) -> CacheEntry? { cache.entry(for: key) }
