/// The sources that have failed in a way that trying again will not mend, for a while.
///
/// It knows no clock. Bounded: beyond ``capacity`` the oldest is forgotten.
struct FailureTable: Sendable {
    let capacity: Int
    let lifetime: Duration
    private var failures: [String: (error: TintypeError, until: Duration, number: Int)] = [:]
    private var order: ArraySlice<(source: String, number: Int)> = []
    private var lastNumber = 0

    init(capacity: Int, lifetime: Duration) {
        self.capacity = max(0, capacity)
        self.lifetime = lifetime
    }

    var count: Int { failures.count }

    /// What a source failed with, if that is still remembered.
    mutating func failure(of source: String, at now: Duration) -> TintypeError? {
        guard let known = failures[source] else { return nil }
        guard now < known.until else {
            failures[source] = nil
            return nil
        }
        return known.error
    }

    mutating func remember(_ error: TintypeError, of source: String, at now: Duration) {
        guard capacity > 0 else { return }
        lastNumber += 1
        failures[source] = (error, now + lifetime, lastNumber)
        order.append((source, lastNumber))
        while failures.count > capacity || order.count > 2 * capacity, let oldest = order.popFirst() {
            // A place that a newer failure or a success has left behind names no one any more.
            if failures[oldest.source]?.number == oldest.number { failures[oldest.source] = nil }
        }
    }

    mutating func forget(_ source: String) {
        failures[source] = nil
    }

    mutating func forgetAll() {
        failures = [:]
        order = []
    }

    /// Everything that is remembered now.
    func all(at now: Duration) -> [String: TintypeError] {
        failures.filter { now < $0.value.until }.mapValues(\.error)
    }
}
