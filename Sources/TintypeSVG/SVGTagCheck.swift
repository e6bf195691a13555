import TintypeCore

extension SVGTag {
    /// Checks for what makes librsvg abort, fail with an internal error, or take unbounded time or memory.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    func check() throws(TintypeError) {
        guard attributeCount <= Self.maximumAttributes else {
            throw .exceeded(.elements, "an SVG with more than \(Self.maximumAttributes) attributes in one element")
        }
        // SVG 2 removed it. It copies the text of any element, so a text may be longer than the document.
        guard name != "tref" else { throw .exceeded(.library, "an SVG with text from another element (tref)") }
        try SVGFilterFunctions.check(count: filterFunctionCount)
        guard isFilterStep else { return }
        // SVG 2 deprecates it. It scales images to any size.
        guard attributes.values(of: "kernelUnitLength").isEmpty else {
            throw .exceeded(.library, "an SVG with a filter that scales its input (kernelUnitLength)")
        }
        if name == "feConvolveMatrix" { try Self.check(kernelOrders: attributes.values(of: "order")) }
    }

    /// Normal elements have about a dozen.
    private static let maximumAttributes = 1000

    /// Checks the sides of a kernel, which are one or two plain numbers.
    private static func check(kernelOrders orders: [ArraySlice<UInt8>]) throws(TintypeError) {
        for order in orders {
            let sides = SVGNumbers.values(in: order)
            let isPlain = (1...2).contains(sides.count) && sides.allSatisfy { (0...maximumKernel).contains($0) }
            guard isPlain, sides[0] * (sides.last ?? 0) <= maximumKernel else {
                throw .exceeded(.library, "an SVG with a convolution of more than \(Int(maximumKernel)) numbers")
            }
        }
    }

    /// librsvg 2.54 reads at most this many numbers; an assertion fails if there are more.
    private static let maximumKernel = 400.0
}
