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

    private var jobs = JobSlots<Job>()
    private var joinable: [Key: JobID] = [:]
    /// Places of jobs that have ended.
    private var freePlaces: [Int] = []
    /// The number of jobs that are running.
    private(set) var count = 0
    private var lastNumber = 0

    /// Whether there is a job that can be joined.
    func isRunning(_ key: Key) -> Bool { joinable[key] != nil }

    mutating func attach(_ key: Key, at priority: ImagePriority) -> (SubscriberID, Attachment) {
        let new = JobID(place: freePlaces.last ?? count, number: nextNumber())
        let id = joinable[key, default: new].kept()
        guard id == new else {
            let before = jobs[id]?.tally.highest
            return (add(to: id, at: priority), .join(raisedTo: before.map { priority > $0 } == true ? priority : nil))
        }
        _ = freePlaces.popLast()
        jobs.put(Job(key: key), at: new)
        count += 1
        return (add(to: new, at: priority), .start)
    }

    mutating func detach(_ subscriber: SubscriberID) -> Detachment {
        let change = jobs.change(subscriber.job) { job in
            job.subscribers.remove(subscriber).map { priority in
                let before = job.tally.highest
                job.tally.remove(priority)
                return (before: before, after: job.tally.highest)
            }
        }
        guard case let change?? = change else { return .unknown }
        guard let after = change.after else {
            _ = remove(subscriber.job)
            return .abandoned
        }
        return after == change.before ? .left : .lowered(to: after)
    }

    /// Returns the job's new priority if it changed.
    mutating func reprioritise(_ subscriber: SubscriberID, to priority: ImagePriority) -> ImagePriority? {
        let change = jobs.change(subscriber.job) { job -> ImagePriority? in
            guard let old = job.subscribers.update(subscriber, to: priority) else { return nil }
            let before = job.tally.highest
            job.tally.remove(old)
            job.tally.add(priority)
            return job.tally.highest == before ? nil : job.tally.highest
        }
        return change ?? nil
    }

    /// Ends a job and releases those who wait for it, in the order in which they came.
    mutating func finish(_ job: JobID) -> ArrivalList<SubscriberID, ImagePriority> {
        remove(job)?.subscribers ?? ArrivalList()
    }

    /// The highest priority among those who wait for a job; `nil` when it has ended.
    func priority(of job: JobID) -> ImagePriority? { jobs[job]?.tally.highest }

    private mutating func add(to job: JobID, at priority: ImagePriority) -> SubscriberID {
        let subscriber = SubscriberID(job: job, number: nextNumber())
        jobs.change(job) { job in
            job.subscribers.append(priority, as: subscriber)
            job.tally.add(priority)
        }
        return subscriber
    }

    private mutating func remove(_ id: JobID) -> Job? {
        guard let job = jobs.remove(id) else { return nil }
        freePlaces.append(id.place)
        count -= 1
        if let index = joinable.index(forKey: job.key), joinable[index].value == id { joinable.remove(at: index) }
        return job
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// One job of a table.
struct JobID: Hashable, Sendable {
    /// Where it is kept while it runs.
    let place: Int
    /// No other job of the table has it, before or after.
    fileprivate let number: Int

    /// Itself. As a change, it puts a default into a dictionary, where a key is hashed once to find or to add.
    fileprivate mutating func kept() -> JobID { self }
}

/// One who waits for one job.
struct JobSubscriberID: Comparable, Sendable {
    let job: JobID
    fileprivate let number: Int

    static func < (left: JobSubscriberID, right: JobSubscriberID) -> Bool { left.number < right.number }
}
