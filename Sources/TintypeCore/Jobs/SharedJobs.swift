/// Runs equal work once, however many wait for it: ``JobTable`` with tasks, receivers and a lock around it.
///
/// - `Value`: what a job makes.
/// - `Status`: what it tells of itself on the way. Only the newest counts; who joins late is told that one.
package final class SharedJobs<Key: Hashable & Sendable, Value: Sendable, Status: Sendable>: Sendable {
    package typealias Receiver = JobReceiver<Value, Status>
    package typealias Work = @Sendable (JobContext, JobReporter<Status>) async throws(TintypeError) -> Value

    fileprivate typealias Table = JobTable<Key>

    private struct Running: Sendable {
        let context: JobContext
        var receivers = ArrivalList<JobSubscriberID, Receiver>()
        var latest: Status?
    }

    private struct State: Sendable {
        var table = Table()
        var running = JobSlots<Running>()
        var ended = 0

        /// Ends a job, which is to die after the lock.
        mutating func take(_ job: JobID) -> Running? {
            _ = table.finish(job)
            return running.remove(job)
        }
    }

    private let state = Locked(State())
    private let tasks: JobTasks

    /// - Parameter tasks: those that do the work.
    init(on tasks: JobTasks) {
        self.tasks = tasks
    }

    package convenience init() {
        self.init(on: .new)
    }

    /// The number of jobs that are running.
    package var count: Int { state.withLock { $0.table.count } }

    /// How many jobs have come to their end. While it stands still, none has found anything.
    var endedCount: Int { state.withLock { $0.ended } }

    /// Whether there is a job that can be joined.
    func isRunning(_ key: Key) -> Bool { state.withLock { $0.table.isRunning(key) } }

    /// Those who wait for any job.
    var waiterCount: Int { state.withLock { $0.running.all.reduce(0) { $0 + $1.value.receivers.count } } }

    /// Joins the job for `key`, or starts it with `work`.
    ///
    /// The receiver may be called before this returns, but never after the returned subscription was cancelled.
    ///
    /// - Parameter work: makes the work, where it is needed: a thousand who join cost no closure each.
    package func attach(
        _ key: Key, at priority: ImagePriority, receiver: Receiver, work: () -> Work
    ) -> JobSubscription {
        let (subscriber, attachment, joined) = state.withLock { state in
            let (subscriber, attachment) = state.table.attach(key, at: priority)
            if attachment == .start {
                state.running.put(Running(context: JobContext(priority: priority)), at: subscriber.job)
            }
            let joined = state.running.change(subscriber.job) { running in
                running.receivers.append(receiver, as: subscriber)
                return (context: running.context, latest: running.latest)
            }
            return (subscriber, attachment, joined)
        }
        if let joined {
            switch attachment {
            case .start: start(subscriber.job, joined.context, work())
            case .join(raisedTo: .some): bringUpToDate(joined.context, subscriber.job)
            case .join(raisedTo: nil): break
            }
            if let latest = joined.latest { receiver.onStatus(latest) }
        }
        return JobSubscription(jobs: self, subscriber: subscriber)
    }

    private func start(_ job: JobID, _ context: JobContext, _ work: @escaping Work) {
        let reporter = JobReporter<Status> { self.report($0, of: job) }
        tasks.start({ await self.run(job, context, reporter, work) }, for: context)
    }

    private func run(
        _ job: JobID, _ context: JobContext, _ reporter: JobReporter<Status>, _ work: Work
    ) async {
        let result: Result<Value, TintypeError>
        do throws(TintypeError) {
            result = .success(try await work(context, reporter))
        } catch {
            result = .failure(error)
        }
        finish(job, with: result)
    }

    private func finish(_ job: JobID, with result: Result<Value, TintypeError>) {
        let ended = state.withLock { state in
            state.ended += 1
            return state.take(job)
        }
        ended?.receivers.forEach { $0.onEnd(result) }
    }

    /// Ends every job with ``TintypeError/Code/cancelled`` for all who wait, and stops its work.
    package func cancelAll() {
        let ended = state.withLock { state in state.running.all.compactMap { state.take($0.job) } }
        for job in ended { job.context.cancel() }
        for job in ended { job.receivers.forEach { $0.onEnd(.failure(.cancelled)) } }
    }

    private func report(_ status: Status, of job: JobID) {
        let receivers = state.withLock { state in
            state.running.change(job) { running in
                running.latest = status
                return running.receivers
            }
        }
        receivers?.forEach { $0.onStatus(status) }
    }

    /// Returns whether the subscriber was still waiting, so that its end is now the caller's to tell.
    fileprivate func detach(_ subscriber: JobSubscriberID) -> Bool {
        // What is taken out dies after the lock: closures, and perhaps a preview's pixels.
        let (detachment, context, _, _) = state.withLock { state in
            let detachment = state.table.detach(subscriber)
            let context = state.running[subscriber.job]?.context
            let receiver = state.running.change(subscriber.job) { $0.receivers.remove(subscriber) }
            let abandoned = detachment == .abandoned ? state.running.remove(subscriber.job) : nil
            return (detachment, context, receiver, abandoned)
        }
        switch detachment {
        case .unknown: return false
        case .left: break
        case .lowered: if let context { bringUpToDate(context, subscriber.job) }
        case .abandoned: context?.cancel()
        }
        return true
    }

    fileprivate func reprioritise(_ subscriber: JobSubscriberID, to priority: ImagePriority) {
        let context = state.withLock { state in
            state.table.reprioritise(subscriber, to: priority).flatMap { _ in state.running[subscriber.job]?.context }
        }
        if let context { bringUpToDate(context, subscriber.job) }
    }

    /// Gives a job the priority that the table has for it.
    private func bringUpToDate(_ context: JobContext, _ job: JobID) {
        ImagePriority.pass {
            state.withLock { $0.table.priority(of: job) }.map { ($0, context) }
        } to: {
            $0.setPriority($1)
        }
    }
}

/// The way of a running job to tell those who wait how far it is.
package struct JobReporter<Status: Sendable>: Sendable {
    package let report: @Sendable (Status) -> Void

    package func callAsFunction(_ status: Status) { report(status) }
}

/// Jobs that can be left, whatever they make.
private protocol Leavable: AnyObject, Sendable {
    func detach(_ subscriber: JobSubscriberID) -> Bool
    func reprioritise(_ subscriber: JobSubscriberID, to priority: ImagePriority)
}

extension SharedJobs: Leavable {}

/// One's place among those who wait for a job.
package struct JobSubscription: PriorityFollower {
    private let jobs: any Leavable
    private let subscriber: JobSubscriberID

    fileprivate init(jobs: any Leavable, subscriber: JobSubscriberID) {
        self.jobs = jobs
        self.subscriber = subscriber
    }

    /// Leaves; the receiver is not called after this returns `true`. The last one to leave stops the work.
    ///
    /// Returns `false` when the job's end was told before, or is being told.
    @discardableResult
    package func cancel() -> Bool { jobs.detach(subscriber) }

    package func follow(_ priority: ImagePriority) { jobs.reprioritise(subscriber, to: priority) }
}
