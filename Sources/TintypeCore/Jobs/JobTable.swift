/// The subscribers of each running job: decides when work starts, is shared, changes its priority and stops.
///
/// It has no time, threads or tasks; ``JobRunner`` carries out its decisions. Invariants:
/// - a key has at most one job that can be joined;
/// - a subscriber is released at most once, by ``detach(_:)`` or by ``finish(_:)``;
/// - a job is abandoned exactly when its last subscriber leaves before it has finished;
/// - a job's priority is the highest among its subscribers.
struct JobTable<Key: Hashable & Sendable>: Sendable {
    typealias SubscriberID = JobSubscriberID

    enum Attachment: Equatable {
        /// There was no job for the key. The caller must start it.
        case start
        /// The job is running. The value is its new priority if the subscriber raised it.
        case join(raisedTo: ImagePriority?)
    }

    enum Detachment: Equatable {
        /// The subscriber has already been released.
        case unknown
        /// Others still wait, at an unchanged priority.
        case left
        /// Others still wait, at a lower priority.
        case lowered(to: ImagePriority)
        /// No subscriber is left. The caller must stop the work. The key is free for a new job at once.
        case abandoned
    }

    private struct Job: Sendable {
        let key: Key
        var subscribers = ArrivalList<SubscriberID, ImagePriority>()
        var tally = PriorityTally()
    }

    private var jobs = JobSlots<Job>()
    private var joinable: [Key: JobID] = [:]
    /// The slots of jobs that have ended.
    private var freeSlots: [Int] = []
    /// The number of jobs that are running.
    private(set) var count = 0
    private var lastNumber = 0

    /// Adds a subscriber to the job for `key`, or to a new one.
    mutating func attach(_ key: Key, at priority: ImagePriority) -> (SubscriberID, Attachment) {
        let new = JobID(slot: freeSlots.last ?? count, number: nextNumber())
        let id = joinable[key, default: new].findOrInsert()
        if id == new {
            _ = freeSlots.popLast()
            jobs.put(Job(key: key), at: new)
            count += 1
        }
        let subscriber = SubscriberID(job: id, number: nextNumber())
        let isRaised = jobs.change(id) { job in
            let before = job.tally.highest
            job.subscribers.append(priority, as: subscriber)
            job.tally.add(priority)
            return before.map { priority > $0 } ?? false
        }
        return (subscriber, id == new ? .start : .join(raisedTo: isRaised == true ? priority : nil))
    }

    /// Removes a subscriber that no longer waits.
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

    /// Changes the priority of one subscriber.
    ///
    /// - Returns: The job's new priority if it changed.
    mutating func reprioritize(_ subscriber: SubscriberID, to priority: ImagePriority) -> ImagePriority? {
        let change = jobs.change(subscriber.job) { job -> ImagePriority? in
            guard let old = job.subscribers.update(subscriber, to: priority) else { return nil }
            let before = job.tally.highest
            job.tally.remove(old)
            job.tally.add(priority)
            return job.tally.highest == before ? nil : job.tally.highest
        }
        return change ?? nil
    }

    /// Ends a job and returns its subscribers in order of arrival.
    mutating func finish(_ job: JobID) -> ArrivalList<SubscriberID, ImagePriority> {
        remove(job)?.subscribers ?? ArrivalList()
    }

    /// The highest priority among a job's subscribers, or `nil` if the job has ended.
    func priority(of job: JobID) -> ImagePriority? { jobs[job]?.tally.highest }

    private mutating func remove(_ id: JobID) -> Job? {
        guard let job = jobs.remove(id) else { return nil }
        freeSlots.append(id.slot)
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
    /// Its index in ``JobSlots``. Reused after the job has ended.
    let slot: Int
    /// Unique in the table for all time.
    fileprivate let number: Int

    /// Returns itself. `mutating`, so that a dictionary with a default inserts it: the key is hashed once for both.
    fileprivate mutating func findOrInsert() -> JobID { self }
}

/// One subscriber of one job.
struct JobSubscriberID: Comparable, Sendable {
    let job: JobID
    fileprivate let number: Int

    static func < (left: JobSubscriberID, right: JobSubscriberID) -> Bool { left.number < right.number }
}

/// One value for each running job, indexed by the job's slot, so that no key is hashed and values change in place.
///
/// All operations are O(1) amortised, except ``all``, which is O(the highest number of jobs that ever ran at once). A
/// slot is reused by a job with another number, so an identifier of an ended job finds nothing.
struct JobSlots<Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        var value: Value

        mutating func change<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
    }

    /// The job in each slot. Apart from the values, so that comparing it copies none of them.
    private var jobs: [JobID?] = []
    private var slots: [Slot?] = []

    /// All running jobs with their values.
    var all: [(job: JobID, value: Value)] {
        zip(jobs, slots).compactMap { job, slot in job.flatMap { job in slot.map { (job, $0.value) } } }
    }

    subscript(_ job: JobID) -> Value? { contains(job) ? slots[job.slot]?.value : nil }

    mutating func put(_ value: Value, at job: JobID) {
        while jobs.count <= job.slot {
            jobs.append(nil)
            slots.append(nil)
        }
        jobs[job.slot] = job
        slots[job.slot] = Slot(value: value)
    }

    mutating func remove(_ job: JobID) -> Value? {
        guard contains(job) else { return nil }
        jobs[job.slot] = nil
        return slots[job.slot].take()?.value
    }

    /// Changes the value of a job in place. Returns `nil` if the job has ended.
    @discardableResult
    mutating func change<Result>(_ job: JobID, _ body: (inout Value) -> Result) -> Result? {
        contains(job) ? slots[job.slot]?.change(body) : nil
    }

    private func contains(_ job: JobID) -> Bool { job.slot < jobs.count && jobs[job.slot] == job }
}
