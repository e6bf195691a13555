/// What is kept of running jobs, found by their place in a list: nothing is hashed, and what is there is changed where it
/// lies.
///
/// Everything but ``all`` is O(1), amortised; that goes through as many places as there ever were jobs at once. A place is
/// used again, by a job of another number, so that who comes late finds nothing.
struct JobSlots<Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        let job: JobID
        var value: Value

        mutating func change<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
    }

    private var slots: [Slot?] = []

    /// Every job that is there, with what is kept of it.
    var all: [(job: JobID, value: Value)] { slots.compactMap { slot in slot.map { ($0.job, $0.value) } } }

    subscript(_ job: JobID) -> Value? { isThere(job) ? slots[job.place]?.value : nil }

    mutating func put(_ value: Value, at job: JobID) {
        while slots.count <= job.place { slots.append(nil) }
        slots[job.place] = Slot(job: job, value: value)
    }

    mutating func remove(_ job: JobID) -> Value? {
        isThere(job) ? slots[job.place].take()?.value : nil
    }

    /// Changes what is kept of a job; `nil` when it has ended.
    @discardableResult
    mutating func change<Result>(_ job: JobID, _ body: (inout Value) -> Result) -> Result? {
        isThere(job) ? slots[job.place]?.change(body) : nil
    }

    private func isThere(_ job: JobID) -> Bool { job.place < slots.count && slots[job.place]?.job == job }
}
