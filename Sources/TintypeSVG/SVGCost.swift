import TintypeCore

/// The cost of drawing a part of an SVG. Sums are capped at ``maximum``.
struct SVGCost {
    /// The number of elements.
    var elements = 0
    /// The number of bytes that entity references expand to.
    var expandedBytes = 0
    /// The number of samples that filters take per pixel.
    var filterSamples = 0
    /// The number of samples per pixel at a scale of 1 that, unlike ``filterSamples``, grows with the square of the
    /// scale.
    var windowSamples = 0
    /// The number of elements that may be drawn more often than they appear.
    var repeatableElements = 0
    /// The number of patterns.
    var patterns = 0
    /// The number of elements whose contents are drawn for each element that refers to them.
    var referencedContainers = 0
    /// The number of bytes of text.
    var textBytes = 0
    /// The sum of the longest text of each document, embedded ones included, in bytes.
    var longestTexts = 0
    /// The number of bytes of style sheets.
    var styleBytes = 0
    /// The number of selectors of style sheets that compare an element with its siblings.
    var siblingSelectors = 0
    /// The number of bytes of inherited strings and lists in all elements.
    var inheritedBytes = 0
    /// The number of numbers and closing commands in paths and lists of points.
    var pathNumbers = 0
    /// The number of dashes of a line.
    var dashes = 0
    /// The number of elements that may need an off-screen image.
    var layers = 0

    /// The cost of unbounded content, such as an entity that refers to itself.
    static let unbounded = SVGCost(elements: maximum, expandedBytes: maximum)
    /// The cap of every sum.
    static let maximum = 1 << 40

    static func += (sum: inout SVGCost, part: SVGCost) {
        func add(_ count: Int, to total: inout Int) { total = min(total + count, maximum) }
        add(part.elements, to: &sum.elements)
        add(part.expandedBytes, to: &sum.expandedBytes)
        add(part.filterSamples, to: &sum.filterSamples)
        add(part.windowSamples, to: &sum.windowSamples)
        add(part.repeatableElements, to: &sum.repeatableElements)
        add(part.patterns, to: &sum.patterns)
        add(part.referencedContainers, to: &sum.referencedContainers)
        add(part.textBytes, to: &sum.textBytes)
        add(part.longestTexts, to: &sum.longestTexts)
        add(part.styleBytes, to: &sum.styleBytes)
        add(part.siblingSelectors, to: &sum.siblingSelectors)
        add(part.inheritedBytes, to: &sum.inheritedBytes)
        add(part.pathNumbers, to: &sum.pathNumbers)
        sum.dashes = max(sum.dashes, part.dashes)
        add(part.layers, to: &sum.layers)
    }

    /// Adds work that references between elements repeat.
    mutating func add(_ work: SVGWork) {
        filterSamples += Int(min(work.filterSamples, Double(Self.maximum)))
        filterSamples = min(filterSamples, Self.maximum)
        windowSamples += Int(min(work.windowSamples, Double(Self.maximum)))
        windowSamples = min(windowSamples, Self.maximum)
    }

    /// Returns whether drawing may take so long that a caller may want to cancel it.
    ///
    /// - Parameter size: The size of the drawing in pixels.
    func isSlow(drawing size: PixelSize) -> Bool {
        let shapes =
            Double(elements) * (referencedContainers > 0 ? Double(elements) : 1)
            * (1 + Double(filterSamples) + Double(windowSamples))
        return repeatableElements > 0 || Double(size.area) * shapes > Self.maximumUncheckedPixels
    }

    /// Returns whether drawing may be cancelled between shapes.
    ///
    /// A cancellable drawing uses an observer surface. cairo 1.16 crashes if it cannot create an off-screen image for
    /// it. Off-screen images of patterns can have any size; others have the size of the document.
    ///
    /// - Parameter layerSize: The size of the whole document at the scale of the drawing.
    func allowsCancellation(layerSize: PixelSize) -> Bool {
        patterns == 0 && max(layerSize.width, layerSize.height) <= VectorPlacement.maximumSide
    }

    /// The number of pixels that all shapes together may fill without a check for cancellation; about a tenth of a
    /// second.
    private static let maximumUncheckedPixels = 1e8

    /// Checks the cost of filters before drawing starts, because librsvg cannot be cancelled within a filter.
    ///
    /// - Parameters:
    ///   - size: The size of the drawing in pixels.
    ///   - scale: The number of drawn pixels per pixel of the document, times the largest enlargement of an element.
    ///   - isCancellable: Whether it can be cancelled between the filters. If not, a quarter of the limit is accepted.
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    func checkFilters(
        _ limits: DecodeLimits, drawing size: PixelSize, scale: Double, isCancellable: Bool
    ) throws(TintypeError) {
        let windows = windowSamples > 0 ? Double(windowSamples) * max(1, scale * scale) : 0
        let allowed = Double(limits.filteredPixels) / (isCancellable ? 1 : 4)
        guard Double(size.area) * (Double(filterSamples) + windows) <= allowed else {
            throw .exceeded(
                .filteredPixels, "the filters of the SVG read too many pixels when it is drawn at \(size)")
        }
    }

    /// Checks the cost of style sheets: librsvg compares every element with every selector.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    func checkStyles(_ limits: DecodeLimits) throws(TintypeError) {
        let siblings = Double(siblingSelectors) * Double(elements)
        guard (Double(styleBytes) + siblings) * Double(elements) <= Double(limits.styleMatches) else {
            throw .exceeded(
                .styleMatches, "an SVG with \(styleBytes) bytes of style sheets for \(elements) elements")
        }
    }

    /// The memory that parsing and drawing take, in bytes, without pixels and the outlines of ``SVGOutlines``: measured with
    /// librsvg 2.54, rounded up.
    var documentBytes: Int {
        // A text is laid out as a whole, and forgotten after it is drawn.
        let text = 4096 * Double(longestTexts) + 64 * Double(textBytes + expandedBytes)
        let lines = 160 * (Double(pathNumbers) + Double(dashes))
        let values = Double(inheritedBytes) + 16 * Double(styleBytes)
        return Int(min(text + 2048 * Double(elements) + lines + values, 1e15))
    }
}
