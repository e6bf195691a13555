import TintypeCore

/// What a request needs of its worker.
struct WorkerKind: Hashable, Sendable {
    /// The type of the decoder, as the worker finds it by name.
    let decoder: String
    let readsFonts: Bool
}

/// The workers of a ``WorkerPool``, and who uses them.
///
/// It has no clock: `now` is a duration since any fixed moment. `Worker` is a parameter so that tests need no
/// processes.
struct WorkerPoolState<Worker: Sendable>: Sendable {
    /// A worker, or one that is being started.
    private struct Slot: Sendable {
        let number: Int
        let decoders: Set<String>
        let readsFonts: Bool
        /// `nil` while it starts.
        var worker: Worker?
        var isBusy = true
        /// When it was last used.
        var lastUse: Duration
        /// The number of requests that it has begun to serve.
        var requestCount = 1
        /// The origin of the images that it has decoded.
        var origin: String?

        func serves(_ kind: WorkerKind) -> Bool { readsFonts == kind.readsFonts && decoders.contains(kind.decoder) }
    }

    /// What a thread that needs a worker does.
    enum Turn {
        /// Uses a worker.
        case use(Int, Worker)
        /// Starts a worker for these decoders, after it has ended another one.
        case start(Int, decoders: [String], retired: Worker?)
        /// Waits until a worker is released, and asks again.
        case wait
    }

    private let width: Int
    private let maximumRequests: Int
    private let sharing: SandboxConfiguration.Sharing
    private var slots: [Slot] = []
    /// The decoders that requests have needed so far, for each of the two kinds of restrictions. New workers prepare
    /// all of them, so that images of several formats do not end each other's workers.
    private var used: [Bool: Set<String>] = [:]
    private var lastNumber = 0

    /// The time after its last use for which a worker is not ended in favour of one with other decoders.
    static var shortestIdleTime: Duration { .milliseconds(250) }

    init(width: Int, maximumRequests: Int, sharing: SandboxConfiguration.Sharing) {
        // Images that need fonts and others have different workers.
        (self.width, self.maximumRequests, self.sharing) = (max(2, width), max(1, maximumRequests), sharing)
    }

    /// The number of workers, with those that are being started.
    var count: Int { slots.count }
    /// The workers that have started.
    var all: [Worker] { slots.compactMap(\.worker) }

    // MARK: Use

    /// Finds a worker for an image.
    ///
    /// - Parameters:
    ///   - origin: The origin of the image, which matters if workers are not shared between origins.
    ///   - isNew: Whether the worker must have decoded nothing before.
    mutating func acquire(_ kind: WorkerKind, origin: String?, isNew: Bool = false, now: Duration) -> Turn {
        used[kind.readsFonts, default: []].insert(kind.decoder)
        let idle = slots.indices.filter { !slots[$0].isBusy }
        let fitting = isNew ? [] : idle.filter { slots[$0].serves(kind) && shares(slots[$0], origin) }
        if let index = fitting.max(by: { slots[$0].lastUse < slots[$1].lastUse }), let worker = slots[index].worker {
            slots[index].isBusy = true
            slots[index].requestCount += 1
            slots[index].origin = origin
            return .use(slots[index].number, worker)
        }
        guard slots.count >= width else { return start(kind, origin, retired: nil, now) }
        guard let oldest = idle.min(by: { slots[$0].lastUse < slots[$1].lastUse }) else { return .wait }
        // An unfit worker of the same kind is useless; another one may be needed again soon.
        let unfit = idle.first { slots[$0].serves(kind) } ?? oldest
        let mayWait = slots.contains { $0.isBusy && $0.serves(kind) } && sharing == .all && !isNew
        if mayWait, now - slots[unfit].lastUse < Self.shortestIdleTime { return .wait }
        return start(kind, origin, retired: slots.remove(at: unfit).worker, now)
    }

    private func shares(_ slot: Slot, _ origin: String?) -> Bool {
        switch sharing {
        case .all: true
        case .sameOrigin: slot.origin == origin && origin != nil
        case .none: false
        }
    }

    private mutating func start(_ kind: WorkerKind, _ origin: String?, retired: Worker?, _ now: Duration) -> Turn {
        lastNumber += 1
        let decoders = used[kind.readsFonts] ?? [kind.decoder]
        slots.append(
            Slot(
                number: lastNumber, decoders: decoders, readsFonts: kind.readsFonts, worker: nil, lastUse: now,
                origin: origin))
        return .start(lastNumber, decoders: decoders.sorted(), retired: retired)
    }

    /// Records that a worker has started. It is in use.
    mutating func started(_ number: Int, _ worker: Worker) {
        guard let index = slots.firstIndex(where: { $0.number == number }) else { return }
        slots[index].worker = worker
    }

    /// Finds the worker that has an open decoder.
    ///
    /// - Returns: `nil` if it has ended.
    mutating func acquire(_ number: Int) -> Turn? {
        guard let index = slots.firstIndex(where: { $0.number == number }), let worker = slots[index].worker else {
            return nil
        }
        guard !slots[index].isBusy else { return .wait }
        slots[index].isBusy = true
        slots[index].requestCount += 1
        return .use(number, worker)
    }

    /// Ends the use of a worker.
    ///
    /// - Parameter isUsable: Whether it may be used again.
    /// - Returns: The worker if it must be ended.
    mutating func release(_ number: Int, isUsable: Bool, now: Duration) -> Worker? {
        guard let index = slots.firstIndex(where: { $0.number == number }) else { return nil }
        guard isUsable, slots[index].requestCount < maximumRequests else { return slots.remove(at: index).worker }
        slots[index].isBusy = false
        slots[index].lastUse = now
        return nil
    }

    // MARK: Idle workers

    /// Removes the workers that have been idle for a time.
    mutating func expire(after idleTime: Duration, now: Duration) -> [Worker] {
        let expired = slots.filter { !$0.isBusy && now - $0.lastUse >= idleTime }
        slots.removeAll { slot in expired.contains { $0.number == slot.number } }
        return expired.compactMap(\.worker)
    }

    /// Removes all idle workers.
    mutating func removeIdle() -> [Worker] { expire(after: .zero, now: slots.map(\.lastUse).max() ?? .zero) }
}
