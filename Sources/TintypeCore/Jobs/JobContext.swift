import Synchronization

/// What a running job knows of those who wait for it: how urgent it is, and whether anyone still does.
package final class JobContext: Sendable {
    private struct State: Sendable {
        var priority: ImagePriority
        var followers: [Int: any PriorityFollower] = [:]
        var lastFollower = 0
        var task: Task<Void, Never>?
    }

    private let state: Locked<State>
    /// Beside the lock, since a decoder asks for every row. Set before the task is looked for.
    private let cancelled = Atomic(false)

    package init(priority: ImagePriority) {
        state = Locked(State(priority: priority))
    }

    /// The highest priority of those who wait.
    package var priority: ImagePriority { state.withLock { $0.priority } }

    /// Whether no one waits any more. Work on a processor has to ask, between rows or frames.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    package func checkCancelled() throws(TintypeError) {
        if isCancelled { throw .cancelled }
    }

    /// Keeps `follower` at this job's priority until the returned number is given to ``removeFollower(_:)``.
    package func addFollower(_ follower: any PriorityFollower) -> Int {
        let number = state.withLock { state in
            state.lastFollower += 1
            state.followers[state.lastFollower] = follower
            return state.lastFollower
        }
        // The priority may have changed between the follower's making and its registration.
        follow { follower.follow($0) }
        return number
    }

    package func removeFollower(_ number: Int) {
        state.withLock { $0.followers[number] = nil }
    }

    /// Whether anything waits somewhere on behalf of this job.
    var hasFollowers: Bool { state.withLock { !$0.followers.isEmpty } }

    func setPriority(_ priority: ImagePriority) {
        state.withLock { $0.priority = priority }
        tellFollowers()
    }

    /// Tells one who follows the priority what it is.
    func follow(alreadyTold: ImagePriority? = nil, _ tell: (ImagePriority) -> Void) {
        ImagePriority.pass(alreadyTold: alreadyTold) {
            (priority, ())
        } to: { _, priority in
            tell(priority)
        }
    }

    private func tellFollowers() {
        ImagePriority.pass {
            state.withLock { ($0.priority, Array($0.followers.values)) }
        } to: { followers, priority in
            for follower in followers { follower.follow(priority) }
        }
    }

    /// Ties the task that does the work to this job; cancels it at once if the job was abandoned in between.
    func bind(_ task: Task<Void, Never>) {
        state.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Takes the task from a job whose work is done.
    ///
    /// Returns whether the task was not cancelled, and will not be on behalf of this job: ``cancel()`` sets its mark before
    /// it looks for a task.
    func unbind() -> Bool {
        state.withLock { state in
            state.task = nil
            return !isCancelled
        }
    }

    func cancel() {
        cancelled.store(true, ordering: .relaxed)
        state.withLock { $0.task }?.cancel()
    }
}
