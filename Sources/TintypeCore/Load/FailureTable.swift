/// What failed: a source, asked for in one way. A loader or settings of one request's own say nothing of the others.
struct FailureKey: Hashable, Sendable {
    let source: String
    private let loader: RequestOverrides?
    private let extras: RequestExtras

    init(_ request: ImageRequest) {
        source = request.key.source
        loader = request.overrides?.loader == nil ? nil : request.overrides
        extras = request.extras
    }

    /// Whether the name is worth its memory. A URL that holds its bytes is not; to try it again costs no transfer.
    var isShort: Bool { source.utf8.count <= 4096 }

    /// The source alone: the rest seldom differs.
    func hash(into hasher: inout Hasher) {
        hasher.combine(source)
    }
}

/// The sources that have failed in a way that trying again will not mend, for a while.
///
/// It knows no clock. Bounded: beyond ``capacity`` the oldest is forgotten.
struct FailureTable: Sendable {
    let capacity: Int
    let lifetime: Duration
    private var failures: [FailureKey: (error: TintypeError, until: Duration, number: Int)] = [:]
    private var order: ArraySlice<(key: FailureKey, number: Int)> = []
    private var lastNumber = 0

    init(capacity: Int, lifetime: Duration) {
        self.capacity = max(0, capacity)
        self.lifetime = lifetime
    }

    var count: Int { failures.count }

    /// What a source failed with, if that is still remembered.
    mutating func failure(of key: FailureKey, at now: Duration) -> TintypeError? {
        guard let known = failures[key] else { return nil }
        guard now < known.until else {
            failures[key] = nil
            return nil
        }
        return known.error
    }

    mutating func remember(_ error: TintypeError, of key: FailureKey, at now: Duration) {
        guard capacity > 0 else { return }
        lastNumber += 1
        failures[key] = (error, now + lifetime, lastNumber)
        order.append((key, lastNumber))
        while failures.count > capacity || order.count > 2 * capacity, let oldest = order.popFirst() {
            // A place that a newer failure or a success has left behind names no one any more.
            if failures[oldest.key]?.number == oldest.number { failures[oldest.key] = nil }
        }
    }

    mutating func forget(_ key: FailureKey) {
        failures[key] = nil
    }

    /// Costs a look at each that is remembered.
    mutating func forgetAll(of source: String) {
        failures = failures.filter { $0.key.source != source }
    }

    mutating func forgetAll() {
        failures = [:]
        order = []
    }

    /// Everything that is remembered now.
    func all(at now: Duration) -> [String: TintypeError] {
        let known = failures.filter { now < $0.value.until }
        return Dictionary(known.map { ($0.key.source, $0.value.error) }, uniquingKeysWith: { first, _ in first })
    }
}
