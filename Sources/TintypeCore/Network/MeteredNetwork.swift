import Foundation

/// Reports whether NetworkManager considers the network metered, such as a connection through a mobile phone.
///
/// The answer is the last one of NetworkManager. If it is more than 30 seconds old, reading it makes a thread ask again
/// in the background. A machine without NetworkManager has no metered network. Nothing is opened before the first use.
package final class MeteredNetwork: Sendable {
    /// The process-wide instance, which asks over the system bus.
    package static let shared = MeteredNetwork { SystemBus.standard.meteredProperty().map(isMetered) ?? false }

    private let state = Locked(MeteredState())
    private let time: TimeSource
    private let ask: @Sendable () -> Bool

    /// - Parameter ask: Returns whether the network is metered. Called on a new thread; it may block.
    init(time: TimeSource = .system, ask: @escaping @Sendable () -> Bool) {
        self.time = time
        self.ask = ask
    }

    /// Whether the network was metered when NetworkManager was last asked; `false` before its first answer. Never
    /// waits.
    package var isMetered: Bool {
        let now = time.uptime()
        let (isMetered, asks) = state.withLock { state in (state.isMetered, state.begin(at: now)) }
        if asks { Thread.detachNewThread { self.update() } }
        return isMetered
    }

    /// Asks NetworkManager now, and returns its answer, at the latest after two seconds. A program that calls this when
    /// it starts has an answer for its first loads.
    ///
    /// - Returns: ``isMetered``; the last answer if the task is cancelled.
    @discardableResult
    package func refresh() async -> Bool {
        let end = SharedPromise<Void>()
        Thread.detachNewThread {
            self.update()
            end.fulfill(())
        }
        await end.wait()
        return state.withLock { $0.isMetered }
    }

    private func update() {
        ThreadName.set("tintype.metered")
        let isMetered = ask()
        let now = time.uptime()
        state.withLock { $0.end(isMetered, at: now) }
    }

    /// Whether a value of `NMMetered` means that the network is metered, or that NetworkManager guesses so.
    static func isMetered(_ value: UInt32) -> Bool { value == 1 || value == 3 }
}

/// The last answer, and when to ask again. A pure struct: the time is an argument.
struct MeteredState: Sendable {
    /// The time for which an answer counts.
    static let timeToLive = Duration.seconds(30)

    private(set) var isMetered = false
    private var answered: Duration?
    private var isAsking = false

    /// Returns whether to ask now.
    mutating func begin(at now: Duration) -> Bool {
        guard !isAsking, answered.map({ now - $0 >= Self.timeToLive }) ?? true else { return false }
        isAsking = true
        return true
    }

    mutating func end(_ answer: Bool, at now: Duration) {
        (isMetered, answered, isAsking) = (answer, now, false)
    }
}
