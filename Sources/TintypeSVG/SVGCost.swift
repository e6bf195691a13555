/// What a piece of an SVG comes to. Sums stay below what an integer holds.
struct SVGCost {
    var elements = 0
    var expandedBytes = 0

    static let endless = SVGCost(elements: most, expandedBytes: most)
    private static let most = 1 << 40

    static func += (sum: inout SVGCost, part: SVGCost) {
        sum.elements = min(sum.elements + part.elements, most)
        sum.expandedBytes = min(sum.expandedBytes + part.expandedBytes, most)
    }
}
