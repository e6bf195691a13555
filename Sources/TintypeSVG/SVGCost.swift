import TintypeCore

/// What a piece of an SVG comes to. Sums stay below what an integer holds.
struct SVGCost {
    var elements = 0
    var expandedBytes = 0
    /// Looks that filters take at each pixel.
    var looks = 0
    /// Filters that look at as many pixels around each as they like.
    var wideFilters = 0
    /// Elements that may be drawn more often than they stand there.
    var repeated = 0
    /// Elements whose contents are drawn for each that names them.
    var asides = 0

    static let endless = SVGCost(elements: most, expandedBytes: most)
    static let most = 1 << 40

    static func += (sum: inout SVGCost, part: SVGCost) {
        sum.elements = min(sum.elements + part.elements, most)
        sum.expandedBytes = min(sum.expandedBytes + part.expandedBytes, most)
        sum.looks = min(sum.looks + part.looks, most)
        sum.wideFilters = min(sum.wideFilters + part.wideFilters, most)
        sum.repeated = min(sum.repeated + part.repeated, most)
        sum.asides = min(sum.asides + part.asides, most)
    }

    /// Whether drawing may take so long that someone may want to leave.
    ///
    /// - Parameter size: of what is drawn.
    func isLong(drawing size: PixelSize) -> Bool {
        let shapes = Double(elements) * (asides > 0 ? Double(elements) : 1) * (1 + Double(looks) + Double(wideFilters))
        return repeated > 0 || Double(size.area) * shapes > Self.mostPixelsAtOnce
    }

    /// Pixels that all shapes together may fill where no one asks in between: a tenth of a second or so.
    private static let mostPixelsAtOnce = 1e8

    /// librsvg asks no one whether to go on, so what takes it longest is not begun.
    ///
    /// - Parameter size: of what is drawn.
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    func checkFilters(_ limits: DecodeLimits, drawing size: PixelSize) throws(TintypeError) {
        let wide = Double(size.area) * Double(wideFilters)
        guard Double(size.area) * (Double(looks) + wide) <= Double(limits.filteredPixels) else {
            throw .exceeded(
                .filteredPixels, "an SVG whose filters look at too many pixels where it is drawn at \(size)")
        }
    }
}
