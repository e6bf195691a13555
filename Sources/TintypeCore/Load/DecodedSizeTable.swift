/// The decoded sizes of each source that memory may have. The cache may have evicted them since.
///
/// The table has at most ``capacity`` sources and ``sizesEach`` sizes of each. Beyond that, the oldest is removed.
/// Sources with long identities are not noted.
struct DecodedSizeTable: Sendable {
    private let capacity: Int
    private let sizesEach: Int
    private var table: [String: [DecodedSize]] = [:]
    private var order: ArraySlice<String> = []

    init(capacity: Int = 4096, sizesEach: Int = 8) {
        self.capacity = capacity
        self.sizesEach = sizesEach
    }

    /// The sizes of a source, smallest first: scaling the smallest costs least.
    func sizes(of source: String) -> [DecodedSize] {
        (table[source] ?? []).sorted { $0.size.area < $1.size.area }
    }

    mutating func note(_ size: DecodedSize) {
        let source = size.key.source
        guard CacheKey.isShort(source), table[source]?.contains(size) != true else { return }
        if table[source] == nil { order.append(source) }
        table[source, default: []].append(size)
        if table[source, default: []].count > sizesEach { table[source]?.removeFirst() }
        while table.count > capacity, let oldest = order.popFirst() { table[oldest] = nil }
    }
}
