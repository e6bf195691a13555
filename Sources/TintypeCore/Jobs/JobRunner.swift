/// Runs equal work once, however many callers wait for it: a ``JobTable`` with tasks, receivers and a lock around it.
///
/// - `Value`: The result of a job.
/// - `Status`: A snapshot of a running job. Only the newest one counts; a late subscriber receives it.
package final class JobRunner<Key: Hashable & Sendable, Value: Sendable, Status: Sendable>: Sendable {
    /// A subscriber of two closures.
    package typealias Receiver = ClosureReceiver<Value, Status>
    /// The work of a job. It should stop when its context is cancelled.
    package typealias Work = @Sendable (JobContext, JobReporter<Status>) async throws(TintypeError) -> Value

    private struct Running: Sendable {
        let context: JobContext
        var receivers = ArrivalList<JobSubscriberID, any JobReceiver<Value, Status>>()
        var latest: Status?
    }

    private struct State: Sendable {
        var table = JobTable<Key>()
        var running = JobSlots<Running>()

        /// Removes a job. The caller releases its contents after unlocking.
        mutating func take(_ job: JobID) -> Running? {
            _ = table.finish(job)
            return running.remove(job)
        }
    }

    private let state = Locked(State())

    /// Creates a table without jobs.
    package init() {}

    /// The number of running jobs.
    package var count: Int { state.withLock { $0.table.count } }

    /// The number of running jobs and of their subscribers. O(number of jobs).
    var activity: JobActivity {
        state.withLock { state in
            JobActivity(
                running: state.table.count,
                subscribers: state.running.all.reduce(0) { $0 + $1.value.receivers.count })
        }
    }

    /// Joins the job for `key`, or starts it with `work`.
    ///
    /// The receiver may be called before this returns. After the returned subscription was cancelled, no call begins;
    /// one that another thread has begun may still run.
    ///
    /// - Parameter work: Returns the work. Called only to start a job, so that joining one allocates no closure.
    package func attach(
        _ key: Key, at priority: ImagePriority, receiver: any JobReceiver<Value, Status>, work: () -> Work
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
            case .start:
                let reporter = JobReporter<Status> { self.report($0, of: subscriber.job) }
                // Apart from `joined`, which the closure would capture as a whole.
                let context = joined.context
                JobWorkers.shared.take().begin(
                    JobWorker.Assignment(context: context) { [work = work()] in
                        await self.run(subscriber.job, context, reporter, work)
                    })
            case .join(raisedTo: .some): bringUpToDate(joined.context, subscriber.job)
            case .join(raisedTo: nil): break
            }
            if let latest = joined.latest { receiver.update(latest) }
        }
        return JobSubscription(jobs: self, subscriber: subscriber)
    }

    /// Waits inside a job for another one, which other jobs and callers may share.
    ///
    /// The other job follows the priority of the waiting one. When the waiting job is cancelled, the wait ends at once,
    /// and the other job continues only if it has other subscribers.
    ///
    /// - Throws: The error of the other job, or ``TintypeError/Code/cancelled``.
    package func value(
        _ key: Key, for parent: JobContext, onStatus: @escaping @Sendable (Status) -> Void = { _ in },
        work: @escaping Work
    ) async throws(TintypeError) -> Value {
        // A task that is already cancelled must not start a job.
        if Task.isCancelled { throw .cancelled }
        let wait = JobWait<Value, Status>(onStatus)
        let priority = parent.priority
        let subscription = attach(key, at: priority, receiver: wait, work: { work })
        let follower = parent.addFollower(subscription, at: priority)
        defer { parent.removeFollower(follower) }
        return try await wait.end.wait {
            subscription.cancel()
            return .failure(.cancelled)
        }.get()
    }

    /// Ends every job with ``TintypeError/Code/cancelled`` for all subscribers, and stops its work.
    package func cancelAll() {
        let ended = state.withLock { state in state.running.all.compactMap { state.take($0.job) } }
        for job in ended { job.context.cancel() }
        for job in ended { job.receivers.forEach { $0.finish(.failure(.cancelled)) } }
    }
}

// MARK: - Running a job

extension JobRunner {
    private func run(
        _ job: JobID, _ context: JobContext, _ reporter: JobReporter<Status>, _ work: Work
    ) async {
        let result: Result<Value, TintypeError>
        do throws(TintypeError) {
            result = .success(try await work(context, reporter))
        } catch {
            result = .failure(error)
        }
        state.withLock { $0.take(job) }?.receivers.forEach { $0.finish(result) }
    }

    private func report(_ status: Status, of job: JobID) {
        let receivers = state.withLock { state in
            state.running.change(job) { running in
                running.latest = status
                return running.receivers
            }
        }
        receivers?.forEach { $0.update(status) }
    }

    /// Sets the priority of a job to the one in the table.
    private func bringUpToDate(_ context: JobContext, _ job: JobID) {
        ImagePriority.pass {
            state.withLock { $0.table.priority(of: job) }.map { ($0, context) }
        } to: {
            $0.setPriority($1)
        }
    }
}

// MARK: - Leaving a job

extension JobRunner: SubscribedJobs {
    fileprivate func detach(_ subscriber: JobSubscriberID) -> Bool {
        // The removed closures, and perhaps a preview's pixels, are released after unlocking.
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

    fileprivate func reprioritize(_ subscriber: JobSubscriberID, to priority: ImagePriority) {
        let context = state.withLock { state in
            state.table.reprioritize(subscriber, to: priority).flatMap { _ in state.running[subscriber.job]?.context }
        }
        if let context { bringUpToDate(context, subscriber.job) }
    }
}

/// The wait of a job for another one.
private final class JobWait<Value: Sendable, Status: Sendable>: JobReceiver {
    let end = Promise<Result<Value, TintypeError>>()
    private let onStatus: @Sendable (Status) -> Void

    init(_ onStatus: @escaping @Sendable (Status) -> Void) {
        self.onStatus = onStatus
    }

    func update(_ status: Status) { onStatus(status) }

    func finish(_ result: Result<Value, TintypeError>) { end.fulfill(result) }
}

/// Jobs of any type, as their subscriptions see them.
private protocol SubscribedJobs: AnyObject, Sendable {
    /// Removes a subscriber. Returns whether it was still waiting, so that the caller may report its end.
    func detach(_ subscriber: JobSubscriberID) -> Bool
    func reprioritize(_ subscriber: JobSubscriberID, to priority: ImagePriority)
}

/// The numbers of running jobs of one kind and of their subscribers.
package struct JobActivity: Hashable, Sendable {
    /// The number of running jobs. Equal work is one job.
    package let running: Int
    /// The number of callers and of other jobs that wait for the running jobs.
    package let subscribers: Int
}

/// One subscriber's share in a job.
package struct JobSubscription: PriorityFollower {
    private let jobs: any SubscribedJobs
    private let subscriber: JobSubscriberID

    fileprivate init(jobs: any SubscribedJobs, subscriber: JobSubscriberID) {
        self.jobs = jobs
        self.subscriber = subscriber
    }

    /// Leaves the job. The end is not reported after this returns `true`; a report of the status that another thread
    /// has begun may still run. The last subscriber that leaves stops the work.
    ///
    /// - Returns: `false` if the end of the job has already been reported, or is being reported.
    @discardableResult
    package func cancel() -> Bool { jobs.detach(subscriber) }

    /// Changes the priority of this subscriber. The job has the highest priority of all its subscribers.
    package func follow(_ priority: ImagePriority) { jobs.reprioritize(subscriber, to: priority) }
}
