/// What a running job knows of those who wait for it: how urgent it is, and whether anyone still does.
package final class JobContext: Sendable {
    private struct State: Sendable {
        var priority: ImagePriority
        var followers: [Int: any PriorityFollower] = [:]
        var lastFollower = 0
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state: Locked<State>

    package init(priority: ImagePriority) {
        state = Locked(State(priority: priority))
    }

    /// The highest priority of those who wait.
    package var priority: ImagePriority { state.withLock { $0.priority } }

    /// Whether no one waits any more. Work on a processor has to ask, between rows or frames.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package func checkCancelled() throws(TintypeError) {
        if isCancelled { throw .cancelled }
    }

    /// Keeps `follower` at this job's priority until the returned number is given to ``removeFollower(_:)``.
    package func addFollower(_ follower: any PriorityFollower) -> Int {
        let (number, priority) = state.withLock { state in
            state.lastFollower += 1
            state.followers[state.lastFollower] = follower
            return (state.lastFollower, state.priority)
        }
        // The priority may have changed between the follower's making and its registration.
        follower.follow(priority)
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

    /// Tells again as long as the priority changed meanwhile, so that the last thing told is the truth, whatever the
    /// order in which threads come by.
    private func tellFollowers() {
        var told: ImagePriority?
        while let (priority, followers) = state.withLock({ state in
            state.priority == told ? nil : (state.priority, Array(state.followers.values))
        }) {
            for follower in followers { follower.follow(priority) }
            told = priority
        }
    }

    /// Ties the task that does the work to this job; cancels it at once if the job was abandoned in between.
    func bind(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
