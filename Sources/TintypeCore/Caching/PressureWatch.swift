/// What is heard of several sources that memory is short: it knows no descriptors' meaning, threads or time.
///
/// A counter that has spoken rests for a while, as triggers do by themselves: each word halves the caches, and some are said
/// a hundred times a second.
struct PressureWatch: Sendable {
    private var sources: [PressureSource]
    /// Until when some are not asked.
    private var rests: [PressureSource: Duration] = [:]

    static let rest = Duration.seconds(2)

    init(_ sources: [PressureSource]) {
        self.sources = sources
    }

    /// Whether nothing will ever be heard again.
    var isOver: Bool { sources.isEmpty }

    /// Those to ask, and how long until there are more.
    mutating func asked(at now: Duration) -> (sources: [PressureSource], timeout: Duration?) {
        rests = rests.filter { $0.value > now }
        return (sources.filter { rests[$0] == nil }, rests.values.min().map { $0 - now })
    }

    /// Returns the worst of what was said.
    mutating func heard(
        _ urgent: [PressureSource], gone: [PressureSource], at now: Duration
    ) -> MemoryPressure? {
        sources.removeAll { gone.contains($0) }
        for source in urgent where source.kind == .counter { rests[source] = now + Self.rest }
        return urgent.contains { $0.pressure == .critical } ? .critical : urgent.first?.pressure
    }
}
