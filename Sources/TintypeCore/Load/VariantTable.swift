/// One size of a source that was decoded: what smaller ones can be made of.
struct Variant: Hashable, Sendable {
    let key: CacheKey
    let decode: DecodeOptions
    /// The decoded size, and that of the whole picture.
    let size: PixelSize
    let full: PixelSize

    /// Whether scaling down 8-bit pixels, without a change of shape or of anything else, gives what `wanted` asks for.
    func canBecome(_ wanted: DecodeOptions) -> Bool {
        var same = decode
        (same.size, same.scale) = (wanted.size, wanted.scale)
        let target = target(of: wanted)
        let isPlain = wanted.range == .standard && decode.crop == nil && !isDistorted
        return same == wanted && isPlain && target != full && target.width <= size.width
            && target.height <= size.height
    }

    /// The size in pixels that `wanted` asks for.
    func target(of wanted: DecodeOptions) -> PixelSize { wanted.size.target(for: full) }

    private var isDistorted: Bool {
        if case .shrink = decode.size { size != full } else { false }
    }
}

/// The sizes of each source that memory may have. It knows no cache: what it names may be gone.
///
/// Bounded: beyond so many sources the oldest is forgotten, beyond so many sizes of one its oldest.
struct VariantTable: Sendable {
    private let capacity: Int
    private let sizesEach: Int
    private var table: [String: [Variant]] = [:]
    private var order: ArraySlice<String> = []

    init(capacity: Int = 4096, sizesEach: Int = 8) {
        self.capacity = capacity
        self.sizesEach = sizesEach
    }

    /// The sizes of a source, the smallest first: scaling that one costs least.
    func variants(of source: String) -> [Variant] {
        (table[source] ?? []).sorted { $0.size.area < $1.size.area }
    }

    mutating func note(_ variant: Variant) {
        let source = variant.key.source
        guard table[source]?.contains(variant) != true else { return }
        if table[source] == nil { order.append(source) }
        table[source, default: []].append(variant)
        if table[source, default: []].count > sizesEach { table[source]?.removeFirst() }
        while table.count > capacity, let oldest = order.popFirst() { table[oldest] = nil }
    }
}
