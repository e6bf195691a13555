import HeapModule
import TintypeCore

/// Who transfers next, within limits for all and for each host: the most urgent first, among equals the first that came
/// or the last.
///
/// One line for all; a transfer whose host is busy steps aside when its turn comes and returns when the host is free.
/// Everything costs O(log n), amortised: each stepping aside is paid for by a transfer that began, ended, moved or left
/// there. What holds always: of a host with free places, as many of its first are in the line.
struct TransferQueue<Element: Sendable>: Sendable {
    struct Limits: Hashable, Sendable {
        var total: Int
        var perHost: Int
        var order: DownloadOrder
    }

    private struct Place: Comparable, Sendable {
        let priority: ImagePriority
        let rank: Int
        let number: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.priority, left.rank) < (right.priority, right.rank)
        }
    }

    private struct Waiting: Sendable {
        let element: Element
        let host: String
        var priority: ImagePriority
    }

    private struct Host: Sendable {
        var running = 0
        /// Those of its transfers that stepped aside.
        var aside = Heap<Place>()
    }

    private(set) var limits: Limits
    var isSuspended = false
    private(set) var running = 0
    private var waiting: [Int: Waiting] = [:]
    private var line = Heap<Place>()
    private var hosts: [String: Host] = [:]
    private var lastNumber = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    var count: Int { waiting.count }

    /// Puts one into the line; returns its number.
    mutating func add(_ element: Element, from host: String, at priority: ImagePriority) -> Int {
        lastNumber += 1
        waiting[lastNumber] = Waiting(element: element, host: host, priority: priority)
        line.insert(place(lastNumber, priority))
        return lastNumber
    }

    /// Counts one as running that need not stand in line, where no one else does and there is a place.
    mutating func beginAtOnce(at host: String) -> Bool {
        guard waiting.isEmpty, hasPlace, limits.perHost > 0 else { return false }
        guard let index = hosts.index(forKey: host) else {
            begin(at: host)
            return true
        }
        guard hosts.values[index].running < limits.perHost else { return false }
        hosts.values[index].running += 1
        running += 1
        return true
    }

    /// Takes out the next one that may begin, and counts it as running.
    mutating func next() -> Element? {
        guard hasPlace else { return nil }
        while let place = line.popMax() {
            guard let candidate = waiting[place.number], candidate.priority == place.priority else { continue }
            guard hasPlace(at: candidate.host) else {
                hosts[candidate.host, default: Host()].aside.insert(place)
                continue
            }
            waiting[place.number] = nil
            begin(at: candidate.host)
            return candidate.element
        }
        return nil
    }

    private var hasPlace: Bool { !isSuspended && running < limits.total }

    private func hasPlace(at host: String) -> Bool { hosts[host]?.running ?? 0 < limits.perHost }

    private mutating func begin(at host: String) {
        hosts[host, default: Host()].running += 1
        running += 1
    }

    /// Counts one that was running as ended.
    mutating func end(at host: String) {
        running -= 1
        guard let index = hosts.index(forKey: host) else { return }
        guard hosts.values[index].aside.isEmpty else { return endBeforeOthers(at: host) }
        if hosts.values[index].running > 1 { hosts.values[index].running -= 1 } else { hosts.remove(at: index) }
    }

    private mutating func endBeforeOthers(at host: String) {
        hosts[host]?.running -= 1
        letReturn(to: host)
        if let left = hosts[host], left.running <= 0, left.aside.isEmpty { hosts[host] = nil }
    }

    /// Lets the first that stepped aside stand in line again, where its host has a place that it may get.
    private mutating func letReturn(to host: String) {
        guard hasPlace(at: host) else { return }
        while let place = hosts[host]?.aside.popMax() {
            guard waiting[place.number]?.priority == place.priority else { continue }
            line.insert(place)
            break
        }
    }

    /// Moves one to another priority, where it keeps its age.
    mutating func move(_ number: Int, to priority: ImagePriority) {
        guard let standing = waiting[number], standing.priority != priority else { return }
        waiting[number]?.priority = priority
        line.insert(place(number, priority))
        // It may have returned as the first of its host, and be so no more.
        letReturn(to: standing.host)
        sweepIfNeeded()
    }

    /// Takes one out; `nil` when it has left before.
    mutating func remove(_ number: Int) -> Element? {
        guard let left = waiting.removeValue(forKey: number) else { return nil }
        // It may have been the one that returned when its host became free.
        letReturn(to: left.host)
        sweepIfNeeded()
        return left.element
    }

    /// Changes the limits; everyone lines up again. O(n).
    mutating func change(_ limits: Limits) {
        guard limits != self.limits else { return }
        self.limits = limits
        lineUp()
    }

    private func place(_ number: Int, _ priority: ImagePriority) -> Place {
        Place(priority: priority, rank: limits.order == .firstInFirstOut ? -number : number, number: number)
    }

    /// Places that were left behind are swept out when they are the majority.
    private mutating func sweepIfNeeded() {
        guard line.count > 2 * waiting.count + 64 else { return }
        lineUp()
    }

    private mutating func lineUp() {
        for host in hosts.keys { hosts[host]?.aside = Heap() }
        line = Heap(waiting.map { place($0.key, $0.value.priority) })
    }
}
