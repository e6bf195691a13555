import TintypeCore

/// The cost of drawing a part of an SVG. Sums are capped at ``maximum``.
struct SVGCost {
    /// The number of elements.
    var elements = 0
    /// The number of bytes that entity references expand to.
    var expandedBytes = 0
    /// The number of samples that filters take per pixel.
    var filterSamples = 0
    /// The number of filters that read an unbounded number of pixels around each pixel.
    var unboundedFilters = 0
    /// The number of elements that may be drawn more often than they appear.
    var repeatableElements = 0
    /// The number of elements whose contents are drawn for each element that refers to them.
    var referencedContainers = 0

    /// The cost of something without an end, such as an entity that refers to itself.
    static let unbounded = SVGCost(elements: maximum, expandedBytes: maximum)
    /// The cap of every sum.
    static let maximum = 1 << 40

    static func += (sum: inout SVGCost, part: SVGCost) {
        sum.elements = min(sum.elements + part.elements, maximum)
        sum.expandedBytes = min(sum.expandedBytes + part.expandedBytes, maximum)
        sum.filterSamples = min(sum.filterSamples + part.filterSamples, maximum)
        sum.unboundedFilters = min(sum.unboundedFilters + part.unboundedFilters, maximum)
        sum.repeatableElements = min(sum.repeatableElements + part.repeatableElements, maximum)
        sum.referencedContainers = min(sum.referencedContainers + part.referencedContainers, maximum)
    }

    /// Returns whether drawing may take so long that a caller may want to cancel it.
    ///
    /// - Parameter size: The size of the drawing in pixels.
    func isSlow(drawing size: PixelSize) -> Bool {
        let shapes =
            Double(elements) * (referencedContainers > 0 ? Double(elements) : 1)
            * (1 + Double(filterSamples) + Double(unboundedFilters))
        return repeatableElements > 0 || Double(size.area) * shapes > Self.maximumUncheckedPixels
    }

    /// The number of pixels that all shapes together may fill without a check for cancellation; about a tenth of a
    /// second.
    private static let maximumUncheckedPixels = 1e8

    /// Checks the cost of filters before drawing starts, because librsvg cannot be cancelled within a filter.
    ///
    /// - Parameter size: The size of the drawing in pixels.
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    func checkFilters(_ limits: DecodeLimits, drawing size: PixelSize) throws(TintypeError) {
        let unbounded = Double(size.area) * Double(unboundedFilters)
        guard Double(size.area) * (Double(filterSamples) + unbounded) <= Double(limits.filteredPixels) else {
            throw .exceeded(
                .filteredPixels, "the filters of the SVG read too many pixels when it is drawn at \(size)")
        }
    }
}
