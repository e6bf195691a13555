import TintypeCore

/// A start tag, as far as it matters for the cost of drawing.
struct SVGTag {
    let name: String
    let attributes: SVGAttributes

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
    /// Whether the element places text.
    var placesText: Bool { isText || name == "tspan" }
    /// Whether the element is replaced by a file that its `href` attribute names.
    var isInclusion: Bool { name == "include" }
    /// Whether the element shows an image that its `href` attribute names.
    var isImage: Bool { name == "image" || name == "feImage" }
    /// Whether the `href` attribute may name an element instead of an image.
    var mayShowElement: Bool { name == "feImage" }
    /// Whether the `href` attribute names a destination that is not drawn.
    var isLink: Bool { name == "a" }
    /// Whether librsvg resolves references to the element without recursion.
    var isGradient: Bool { name == "linearGradient" || name == "radialGradient" }
    /// Whether the element is a step of a filter, whose result stays in memory until the filter ends.
    var isFilterStep: Bool { name.hasPrefix("fe") && !name.hasPrefix("feFunc") && name != "feMergeNode" }

    /// Whether the size in its attributes is that of a viewport.
    var hasViewport: Bool { ["svg", "symbol", "use"].contains(name) }
    /// Whether the size in its attributes is that of a shape or a viewport. A filter or a mask may exceed what it applies
    /// to.
    var hasGeometry: Bool {
        !name.hasPrefix("fe") && !["filter", "mask", "pattern", "image"].contains(name) && !isGradient
    }

    /// Whether the element may take over attributes of another one: a pattern with a reference (SVG 2, 14.3).
    var isHeir: Bool { name == "pattern" && !attributes.values(of: "href").isEmpty }

    /// The number of vertices of a path, at which a marker may stand, or more.
    var vertexCount: Int {
        (attributes.values(of: "d") + attributes.values(of: "points")).reduce(0) { count, value in
            count + SVGNumbers.count(in: value) + SVGNumbers.closeCount(in: value)
        }
    }

    /// Whether elements inherit a property from those that contain them, and the property may refer to an element.
    static func isInherited(_ property: ArraySlice<UInt8>) -> Bool {
        inheritedProperties.contains { property.elementsEqual($0) }
    }

    /// Returns whether an attribute may refer to an element that is drawn.
    static func mayRefer(_ attribute: ArraySlice<UInt8>) -> Bool {
        isInherited(attribute) || referringAttributes.contains { attribute.elementsEqual($0) }
    }

    private static let referringAttributes = ["href", "mask", "clip-path", "filter"].map { Array($0.utf8) }

    /// The beginning of the names of properties that draw an element at vertices.
    static let markerProperty = Array("marker".utf8)

    private static let inheritedProperties = [
        "fill", "stroke", "marker", "marker-start", "marker-mid", "marker-end", "style",
    ].map { Array($0.utf8) }

    /// The number of attributes.
    var attributeCount: Int { attributes.reduce(0) { count, _ in count + 1 } }

    /// The cost of the element alone.
    var cost: SVGCost {
        // libxml2 compares every attribute of an element with every other.
        var cost = SVGCost(elements: 1 + attributeCount / 16)
        cost.repeatableElements = ["use", "marker", "pattern", "image", "feImage"].contains(name) ? 1 : 0
        cost.patterns = name == "pattern" ? 1 : 0
        cost.referencedContainers = ["mask", "clipPath", "filter"].contains(name) ? 1 : 0
        cost.layers = layerCount
        for (name, value) in attributes {
            if name.elementsEqual("d".utf8) || name.elementsEqual("points".utf8) {
                cost.pathNumbers += SVGNumbers.count(in: value) + SVGNumbers.closeCount(in: value)
            } else if name.elementsEqual("style".utf8) {
                cost.pathNumbers += value.count / 64
            }
        }
        cost.filterSamples = filterSamples
        cost.windowSamples = windowSamples
        return cost
    }

    /// The work of drawing the element alone.
    var work: SVGWork {
        SVGWork(elements: 1, filterSamples: Double(filterSamples), windowSamples: Double(windowSamples))
    }

    /// The number of samples per pixel that the element takes as a step of a filter, or by functions in its own `filter`
    /// property.
    private var filterSamples: Int {
        switch name {
        case "feTurbulence": octaves
        case "feConvolveMatrix": kernelSize
        case _ where isFilterStep: 1
        default: filterFunctionCount * SVGFilterFunctions.samples
        }
    }

    /// The number of samples per pixel of a filter whose window grows with the scale of the drawing, at a scale of 1.
    private var windowSamples: Int {
        guard name == "feMorphology" else { return 0 }
        let radii = attributes.values(of: "radius").map(SVGNumbers.values)
        let windows = radii.map { radii in
            guard let last = radii.last, radii.count <= 2, !radii.contains(where: \.isNaN) else {
                return Double(SVGCost.maximum)
            }
            return (2 * max(0, radii[0]) + 1) * (2 * max(0, last) + 1)
        }
        return Int(min(windows.max() ?? 0, Double(SVGCost.maximum)))
    }

    /// The largest number of numbers in a kernel that an attribute states.
    private var kernelSize: Int {
        let sizes = attributes.values(of: "order").map { order in
            let sides = SVGNumbers.values(in: order)
            return (sides.first ?? Double(SVGCost.maximum)) * (sides.last ?? 1)
        }
        return Int(min(max(sizes.max() ?? 9, 9), Double(SVGCost.maximum)))
    }

    /// The largest number of functions in a `filter` property that an attribute states.
    var filterFunctionCount: Int {
        attributes.reduce(0) { count, attribute in
            if attribute.name.elementsEqual("filter".utf8) {
                return max(count, SVGFilterFunctions.count(inValue: attribute.value))
            }
            guard attribute.name.elementsEqual("style".utf8) else { return count }
            return max(count, SVGFilterFunctions.count(inStyle: attribute.value))
        }
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

    /// The largest number of noise octaves that an attribute states.
    private var octaves: Int { attributes.values(of: "numOctaves").map(Self.octaves).max() ?? 1 }

    /// Returns a number of octaves. A value that is not a plain number of one or two digits counts as unbounded.
    private static func octaves(_ value: ArraySlice<UInt8>) -> Int {
        let digits = SVGText.trimmed(value)
        guard digits.count <= 2 else { return SVGCost.maximum }
        return Int(String(decoding: digits, as: UTF8.self)).map { max($0, 1) } ?? SVGCost.maximum
    }
}
