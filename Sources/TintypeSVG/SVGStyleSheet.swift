import TintypeCore

/// The text of one `style` element.
struct SVGStyleSheet {
    let text: [UInt8]

    /// - Parameter text: The text with references replaced and comments of XML removed.
    init(_ text: [UInt8]) {
        self.text = text
    }

    /// Whether a rule may set a property that needs an off-screen image.
    var namesLayers: Bool { SVGTag.namesLayer(text[...]) }

    /// Whether a rule may set dashes.
    var mayDash: Bool { SVGDashes.mayDash(text[...]) }

    /// The cost of comparing its selectors with elements.
    var cost: SVGCost {
        var cost = SVGCost(styleBytes: text.count)
        cost.siblingSelectors = text.count { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "+") }
        let css = SVGText.plainCSS(text)
        if SVGText.contains(Array(":nth-".utf8), in: css) { cost.siblingSelectors += text.count / 16 }
        return cost
    }

    /// The rules that may set a `filter` property.
    var filterRules: [SVGStyleRule] {
        guard SVGFilterFunctions.mayFilter(text[...]) else { return [] }
        return SVGStyleRule.rules(in: text[...]).filter { SVGFilterFunctions.mayFilter($0.declaration) }
    }

    /// The rules that may set a `filter` property, or refer to elements.
    var drawingRules: [SVGStyleRule] {
        let filters = filterRules
        let mayRefer = SVGText.contains(Array("url(".utf8), in: text) || text.contains(UInt8(ascii: "\\"))
        guard mayRefer else { return filters }
        let others = SVGStyleRule.rules(in: text[...]).filter {
            !SVGFilterFunctions.mayFilter($0.declaration) && !SVGNames.references(in: $0.declaration).isEmpty
        }
        return filters + others
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for too many filter functions in a property, for brackets that are
    ///   nested too deeply, and for elements or style sheets of a document in a `data:` URL, which would not be surveyed.
    func check() throws(TintypeError) {
        try SVGStyleNesting.check(text)
        for rule in filterRules {
            try SVGFilterFunctions.check(count: SVGFilterFunctions.count(inDeclaration: rule.declaration))
        }
        let css = SVGText.plainCSS(text)
        if SVGText.importsEmbeddedSheet(css) || SVGText.refersToEmbeddedDocument(css) { throw .takenFromDataURL }
    }
}

extension TintypeError {
    /// The error of a document that takes elements or style sheets from an embedded one, which is surveyed as an image
    /// only.
    static let takenFromDataURL = TintypeError.exceeded(
        .elements, "an SVG that takes elements or style sheets from a document in a data URL")
}
