import TintypeCore

/// A start tag, as far as it matters for the cost of drawing.
struct SVGTag {
    private let name: String
    private let attributes: SVGAttributes

    init(_ name: ArraySlice<UInt8>, _ attributes: SVGAttributes) {
        self.name = String(decoding: name.prefix(Self.maximumNameLength), as: UTF8.self)
        self.attributes = attributes
    }

    /// The names that matter are shorter.
    private static let maximumNameLength = 32

    /// Whether the text of the element is a style sheet.
    var isStyle: Bool { name == "style" }
    /// Whether the element is laid out as one text.
    var isText: Bool { name == "text" }
    /// Whether the element is replaced by a file that its `href` attribute names.
    var isInclusion: Bool { name == "include" }
    /// Whether the element shows an image that its `href` attribute names.
    var isImage: Bool { name == "image" || name == "feImage" }
    /// Whether the `href` attribute may name an element instead of an image.
    var mayShowElement: Bool { name == "feImage" }
    /// Whether librsvg resolves references to the element without recursion.
    var isGradient: Bool { name == "linearGradient" || name == "radialGradient" }
    /// Whether the element is a step of a filter, whose result stays in memory until the filter ends.
    var isFilterStep: Bool { name.hasPrefix("fe") && !name.hasPrefix("feFunc") && name != "feMergeNode" }

    /// The cost of the element alone.
    var cost: SVGCost {
        var cost = SVGCost(elements: 1)
        cost.repeatableElements = ["use", "marker", "pattern", "image", "feImage"].contains(name) ? 1 : 0
        cost.patterns = name == "pattern" ? 1 : 0
        cost.referencedContainers = ["mask", "clipPath", "filter"].contains(name) ? 1 : 0
        cost.layers = layerCount
        for (name, value) in attributes {
            if name.elementsEqual("d".utf8) || name.elementsEqual("points".utf8) {
                cost.pathNumbers += SVGNumbers.count(in: value)
            } else if name.elementsEqual("style".utf8) {
                cost.pathNumbers += value.count / 64
            }
        }
        guard isFilterStep else { return cost }
        cost.filterSamples = name == "feTurbulence" ? octaves : 1
        // The radius of feMorphology may scale to any number of pixels, and the kernel of feConvolveMatrix has any
        // size.
        cost.unboundedFilters = ["feMorphology", "feConvolveMatrix"].contains(name) ? 1 : 0
        return cost
    }

    /// The number of off-screen images in the size of the document that drawing the element holds at once, without
    /// those of its children.
    var layerCount: Int {
        if isFilterStep || ["mask", "pattern", "filter"].contains(name) { return 1 }
        let isLayer = attributes.contains { name, value in
            Self.layerProperties.contains { name.elementsEqual($0) }
                || (name.elementsEqual("style".utf8) && Self.namesLayer(value))
        }
        return isLayer ? 1 : 0
    }

    private static let layerProperties = ["opacity", "mask", "filter", "mix-blend-mode", "isolation", "clip-path"].map {
        Array($0.utf8)
    }

    /// Returns whether a style sheet may set a property that needs an off-screen image.
    static func namesLayer(_ css: ArraySlice<UInt8>) -> Bool {
        // An escape may hide a name.
        css.contains(UInt8(ascii: "\\")) || layerProperties.contains { SVGText.contains($0, in: css) }
    }

    /// Checks the values that make librsvg stop with an error of its own, or take any amount of memory.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a kernel of more than 400 numbers or of unknown size, and for a
    ///   filter that enlarges images to any size; SVG 2 deprecates it.
    func checkKernel() throws(TintypeError) {
        guard !isFilterStep || attributes.value(of: "kernelUnitLength") == nil else {
            throw .exceeded(.library, "an SVG with a filter that scales its input (kernelUnitLength)")
        }
        guard name == "feConvolveMatrix", let order = attributes.value(of: "order") else { return }
        let sides = SVGNumbers.values(in: order)
        let isPlain = (1...2).contains(sides.count) && sides.allSatisfy { (0...Self.maximumKernel).contains($0) }
        guard isPlain, sides[0] * (sides.last ?? 0) <= Self.maximumKernel else {
            throw .exceeded(.library, "an SVG with a convolution of more than \(Int(Self.maximumKernel)) numbers")
        }
    }

    /// librsvg 2.54 reads no more numbers, and then fails an assertion.
    private static let maximumKernel = 400.0

    /// The number of noise octaves. A value that is not a plain number of one or two digits counts as unbounded.
    private var octaves: Int {
        guard let value = attributes.value(of: "numOctaves") else { return 1 }
        let digits = SVGText.trimmed(value)
        guard digits.count <= 2 else { return SVGCost.maximum }
        return Int(String(decoding: digits, as: UTF8.self)).map { max($0, 1) } ?? SVGCost.maximum
    }
}

/// Lists of numbers, as in the data of a path (SVG 2, 9.3).
enum SVGNumbers {
    /// Returns the number of numbers. The result may be too high, never too low.
    static func count(in text: ArraySlice<UInt8>) -> Int {
        var (count, isInside) = (0, false)
        for byte in text {
            // A sign or a second point begins another number.
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isDigit && !isInside || byte == UInt8(ascii: ".") && isInside { count += 1 }
            isInside = isDigit
        }
        return count
    }

    /// Returns numbers separated by white space or commas; empty if anything else is among them.
    static func values(in text: ArraySlice<UInt8>) -> [Double] {
        let words = text.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
        let values = words.prefix(3).compactMap { Double(String(decoding: $0, as: UTF8.self)) }
        return values.count == words.count ? values : []
    }
}
