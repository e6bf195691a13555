/// Who waits for which running job: decides when work starts, is shared, changes its priority and stops.
///
/// It knows no time, threads or tasks; ``SharedJobs`` carries out what it decides. What holds always:
/// - a key has at most one job that can be joined;
/// - a subscriber is released at most once, by ``detach(_:)`` or by ``finish(_:)``;
/// - a job is abandoned exactly when its last subscriber leaves before it has finished;
/// - a job's priority is the highest among its subscribers.
struct JobTable<Key: Hashable & Sendable>: Sendable {
    typealias SubscriberID = JobSubscriberID

    enum Attachment: Equatable {
        /// There was no such job: the caller has to start it.
        case start
        /// The job runs already; its priority rose to this, if it did.
        case join(raisedTo: ImagePriority?)
    }

    enum Detachment: Equatable {
        /// The subscriber had been released before.
        case unknown
        /// Others still wait, at an unchanged priority.
        case left
        case lowered(to: ImagePriority)
        /// No one waits any more: the caller has to stop the work. The key is free for a new job at once.
        case abandoned
    }

    private struct Job: Sendable {
        let key: Key
        var subscribers = ArrivalList<SubscriberID, ImagePriority>()
        var tally = PriorityTally()
    }

    private var jobs: [JobID: Job] = [:]
    private var joinable: [Key: JobID] = [:]
    private var lastNumber = 0

    /// Whether there is a job that can be joined.
    func isRunning(_ key: Key) -> Bool { joinable[key] != nil }

    /// The number of jobs that are running.
    var count: Int { jobs.count }

    mutating func attach(_ key: Key, at priority: ImagePriority) -> (SubscriberID, Attachment) {
        if let id = joinable[key], let before = jobs[id]?.tally.highest {
            let subscriber = add(to: id, at: priority)
            return (subscriber, .join(raisedTo: priority > before ? priority : nil))
        }
        let id = JobID(number: nextNumber())
        jobs[id] = Job(key: key)
        joinable[key] = id
        return (add(to: id, at: priority), .start)
    }

    mutating func detach(_ subscriber: SubscriberID) -> Detachment {
        guard let priority = jobs[subscriber.job]?.subscribers.remove(subscriber) else { return .unknown }
        let before = highest(subscriber.job)
        jobs[subscriber.job]?.tally.remove(priority)
        guard let after = highest(subscriber.job) else {
            remove(subscriber.job)
            return .abandoned
        }
        return after == before ? .left : .lowered(to: after)
    }

    /// Returns the job's new priority if it changed.
    mutating func reprioritise(_ subscriber: SubscriberID, to priority: ImagePriority) -> ImagePriority? {
        guard let old = jobs[subscriber.job]?.subscribers.update(subscriber, to: priority), old != priority else {
            return nil
        }
        let before = highest(subscriber.job)
        jobs[subscriber.job]?.tally.remove(old)
        jobs[subscriber.job]?.tally.add(priority)
        let after = highest(subscriber.job)
        return after == before ? nil : after
    }

    /// Ends a job and releases those who wait for it, in the order in which they came.
    mutating func finish(_ job: JobID) -> [SubscriberID] {
        guard let subscribers = jobs[job]?.subscribers.keys else { return [] }
        remove(job)
        return subscribers
    }

    /// The highest priority among those who wait for a job; `nil` when it has ended.
    func priority(of job: JobID) -> ImagePriority? { highest(job) }

    private func highest(_ job: JobID) -> ImagePriority? {
        jobs[job]?.tally.highest
    }

    private mutating func add(to job: JobID, at priority: ImagePriority) -> SubscriberID {
        let subscriber = SubscriberID(job: job, number: nextNumber())
        jobs[job]?.subscribers.append(priority, as: subscriber)
        jobs[job]?.tally.add(priority)
        return subscriber
    }

    private mutating func remove(_ job: JobID) {
        guard let key = jobs.removeValue(forKey: job)?.key, joinable[key] == job else { return }
        joinable[key] = nil
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// One job of a table.
struct JobID: Hashable, Sendable {
    fileprivate let number: Int
}

/// One who waits for one job.
struct JobSubscriberID: Comparable, Sendable {
    let job: JobID
    fileprivate let number: Int

    static func < (left: JobSubscriberID, right: JobSubscriberID) -> Bool { left.number < right.number }
}
