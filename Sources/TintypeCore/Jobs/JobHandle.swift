/// An object that follows the priority of a job: queued work, a queued transfer, or a job that it waits for.
package protocol PriorityFollower: Sendable {
    /// Adopts a priority. Called with no lock held, on any thread.
    func follow(_ priority: ImagePriority)
}

extension ImagePriority {
    /// Passes a priority on until it no longer changes.
    ///
    /// Two threads may pass on different priorities in either order. Reading the newest one again after each call makes
    /// the newest one the last.
    ///
    /// - Parameters:
    ///   - alreadySent: The priority that the receiver has now, if it is known.
    ///   - newest: Returns the current priority and its receiver, or `nil` if there is none.
    ///   - send: Called with no lock held.
    // Inlinable, because the general form looks up types, and every joined transfer calls this function.
    @inlinable
    package static func pass<Follower>(
        alreadySent: ImagePriority? = nil, _ newest: () -> (ImagePriority, Follower)?,
        to send: (Follower, ImagePriority) -> Void
    ) {
        var sent = alreadySent
        while let (priority, follower) = newest(), priority != sent {
            send(follower, priority)
            sent = priority
        }
    }
}

/// A handle to a shared job, with which a caller changes its priority and leaves the job.
///
/// The handle exists before the subscription. A priority change or a cancellation that precedes
/// ``bind(_:subscribedAt:)`` takes effect in that call. ``ImageTask`` and the downloader's `Download` contain one.
package struct JobHandle: ~Copyable, Sendable {
    // Not private: Swift 6.3 cannot compile a private type inside a type that cannot be copied.
    struct State: Sendable {
        var priority: ImagePriority
        var subscription: JobSubscription?
        var isCancelled = false
    }

    private let state: Locked<State>

    /// Creates a handle without a subscription.
    package init(priority: ImagePriority) {
        state = Locked(State(priority: priority))
    }

    /// The priority that the caller asks for. The job has the highest priority of all its subscribers.
    package var priority: ImagePriority { state.withLock { $0.priority } }

    /// Changes the priority, wherever the work waits.
    package func setPriority(_ priority: ImagePriority) {
        state.withLock { $0.priority = priority }
        passPriority()
    }

    /// Connects the handle to its job.
    ///
    /// - Parameter priority: The priority that the subscription was made with.
    package func bind(_ subscription: JobSubscription, subscribedAt priority: ImagePriority) {
        let isCancelled = state.withLock { state in
            state.subscription = subscription
            return state.isCancelled
        }
        if isCancelled { subscription.cancel() } else { passPriority(alreadySent: priority) }
    }

    /// Leaves the job. The last subscriber that leaves stops it.
    package func cancel() {
        let subscription = state.withLock { state in
            state.isCancelled = true
            return state.subscription
        }
        subscription?.cancel()
    }

    private func passPriority(alreadySent: ImagePriority? = nil) {
        ImagePriority.pass(alreadySent: alreadySent) {
            state.withLock { state in state.subscription.map { (state.priority, $0) } }
        } to: {
            $0.follow($1)
        }
    }
}
