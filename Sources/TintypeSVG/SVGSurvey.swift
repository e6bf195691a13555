import Foundation
import TintypeCore

/// A survey of what it costs to draw an SVG, in one pass over the bytes and before librsvg parses anything: with its
/// entities expanded, and with the documents and images that it embeds.
struct SVGSurvey {
    /// The cost of the whole document.
    private(set) var cost = SVGCost()
    /// The number of off-screen images that exist at once.
    private(set) var layerDepth = 0
    /// The number of pixels of the largest embedded image.
    private(set) var embeddedPixels = 0
    /// The number of pixels of all embedded images together.
    private(set) var totalEmbeddedPixels = 0
    /// How much the document enlarges its elements: ``SVGEnlargement``. 1 if nothing depends on it.
    private(set) var enlargement = 1.0
    /// The longest side of the tile of a pattern in pixels of the document.
    private(set) var tileSide = 0.0
    /// The outlines that are built to draw the document.
    private(set) var outlines = SVGOutlines()
    /// The documents that are embedded, at any depth.
    private(set) var embeddedDocuments: [Data] = []
    /// The depth of librsvg's recursion.
    private var depth = 0
    private let bytes: [UInt8]
    private var entities = SVGEntities()
    private var openStyle = SVGOpenElement()
    /// The style sheet that is being read.
    private var styleText: [UInt8] = []
    private var openText = SVGOpenElement()
    /// The number of bytes of the text that is being read.
    private var textBytes = 0
    private var longestText = 0
    private var stylesNameLayers = false
    private var drawingRules: [SVGStyleRule] = []
    /// The style sheets.
    private var sheets: [[UInt8]] = []
    private var dashes = SVGDashes()
    private var mayDash = false
    private var inherited = SVGInheritedValues()
    /// The outlines of the document without embedded ones.
    private var ownOutlines = SVGOutlines()
    /// The number of elements that entities contain.
    private var expandedElements = 0
    private let isAbandoned: () -> Bool

    /// The largest number of documents inside each other.
    private static let maximumNesting = 4

    /// The factor of enlargement from which it matters whether the document states it.
    private static let commonEnlargement = 1000.0

    /// The number of pieces of markup between checks for cancellation.
    private static let checkInterval = 1000

    /// - Parameter isAbandoned: Returns whether the caller no longer waits for the survey.
    init(_ bytes: [UInt8], isAbandoned: @escaping () -> Bool = { false }) {
        (self.bytes, self.isAbandoned) = (bytes, isAbandoned)
    }

    /// Reads the document.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a document that costs too much or refers to elements of others,
    ///   ``TintypeError/Code/undecodable`` for an encoding that hides the markup, ``TintypeError/Code/cancelled``.
    mutating func check(_ limits: DecodeLimits, nesting: Int = 1) throws(TintypeError) {
        try SVGEncoding.check(bytes)
        var (markup, count) = (SVGMarkup(bytes[...]), 0)
        while let piece = markup.next() {
            count += 1
            if count % Self.checkInterval == 0, isAbandoned() { throw .cancelled }
            switch piece {
            case .open(let name, let attributes, let isClosed):
                let tag = SVGTag(name, attributes)
                try read(tag, attributes, limits, nesting)
                if !isClosed { open(tag) }
            case .close: try close()
            case .text(let text): try read(text)
            case .literal(let text): read(literal: text)
            case .declaration(let text):
                try entities.declare(text)
                mayDash = mayDash || SVGDashes.mayDash(text)
            case .instruction(let text): try Self.check(instruction: text)
            }
            try check(sums: limits)
        }
        endText()
        try endStyle()
        cost.longestTexts += longestText
        try cost.checkStyles(limits)
        try readValues()
        chargeInheritedValues()
        try checkDepth(limits)
        try measureEnlargement(limits)
    }

    private mutating func open(_ tag: SVGTag) {
        openStyle.open(isIt: tag.isStyle)
        if !openText.isOpen { endText() }
        openText.open(isIt: tag.isText)
    }

    private mutating func close() throws(TintypeError) {
        openStyle.close()
        openText.close()
        if !openStyle.isOpen { try endStyle() }
        if !openText.isOpen { endText() }
    }

    private mutating func endText() {
        (longestText, textBytes) = (max(longestText, textBytes), 0)
    }

    private func check(sums limits: DecodeLimits) throws(TintypeError) {
        guard cost.elements <= limits.elements else {
            throw .exceeded(.elements, "an SVG with more than \(limits.elements) elements")
        }
        guard cost.expandedBytes <= SVGEntities.maximumExpandedBytes else {
            throw .exceeded(
                .elements, "an SVG whose entities expand to more than \(SVGEntities.maximumExpandedBytes) bytes")
        }
    }

    private mutating func checkDepth(_ limits: DecodeLimits) throws(TintypeError) {
        let structure = SVGStructure(bytes[...])
        depth += try SVGDepth.depth(of: structure, limits)
        guard depth <= SVGDepth.maximum else {
            throw .exceeded(.elements, "an SVG with more than \(SVGDepth.maximum) levels of elements and references")
        }
        let counts = SVGElementCounts(drawingRules.isEmpty ? [] : bytes[...], expanded: expandedElements)
        try cost.add(SVGRepetition.work(in: structure, styledBy: drawingRules, counts))
        guard cost.layers > 0 || stylesNameLayers else { return }
        let layers = SVGStructure(bytes[...], weight: .layers(inStyles: stylesNameLayers))
        layerDepth += min(try SVGDepth.depth(of: layers, limits), stylesNameLayers ? SVGCost.maximum : cost.layers)
    }

    // MARK: Elements and text

    private mutating func read(
        _ tag: SVGTag, _ attributes: SVGAttributes, _ limits: DecodeLimits, _ nesting: Int
    ) throws(TintypeError) {
        try tag.check()
        cost += tag.cost
        for (name, value) in attributes {
            mayDash =
                mayDash || SVGDashes.mayDash(name) || (name.elementsEqual("style".utf8) && SVGDashes.mayDash(value))
            cost += entities.cost(ofReferencesIn: value)
            guard SVGEntities.mayHideURL(value) else { continue }
            let text = try entities.resolved(value, in: .attribute)
            if tag.isImage, name.elementsEqual("href".utf8), let url = SVGEmbedding.url(in: text) {
                try Self.refuse(tag.mayShowElement && url.contains(UInt8(ascii: "#")))
                try read(SVGEmbedding(url), limits, nesting)
            } else {
                if name.elementsEqual("style".utf8) { try check(style: text) }
                let css = SVGText.plainCSS(text)
                let isInclusion = tag.isInclusion && SVGText.contains(SVGText.dataScheme, in: css)
                try Self.refuse(isInclusion || SVGText.refersToEmbeddedDocument(css))
            }
        }
    }

    private func check(style text: [UInt8]) throws(TintypeError) {
        try SVGStyleNesting.check(text)
        try SVGFilterFunctions.check(count: SVGFilterFunctions.count(inStyle: text[...]))
    }

    private mutating func read(_ text: ArraySlice<UInt8>) throws(TintypeError) {
        let expanded = entities.cost(ofReferencesIn: text)
        cost += expanded
        expandedElements += expanded.elements
        guard openStyle.isOpen else { return count(text, expandedBytes: expanded.expandedBytes) }
        styleText += try entities.resolved(text, in: .element)
    }

    private mutating func read(literal text: ArraySlice<UInt8>) {
        guard openStyle.isOpen else { return count(text, expandedBytes: 0) }
        styleText += text
    }

    private mutating func count(_ text: ArraySlice<UInt8>, expandedBytes: Int) {
        let count = text.reduce(0) { $0 + ($1 > 0x20 ? 1 : 0) }
        cost.textBytes += count
        textBytes = min(textBytes + (openText.isOpen ? count : 0) + expandedBytes, SVGCost.maximum)
    }

    /// Reads the style sheet that ends here, if any, as a whole: librsvg joins what comments divide.
    private mutating func endStyle() throws(TintypeError) {
        guard !styleText.isEmpty else { return }
        let sheet = SVGStyleSheet(styleText)
        styleText = []
        try sheet.check()
        cost += sheet.cost
        stylesNameLayers = stylesNameLayers || sheet.namesLayers
        drawingRules += sheet.drawingRules
        mayDash = mayDash || sheet.mayDash
        dashes.read(style: sheet.text[...])
        inherited.read(style: sheet.text[...])
        ownOutlines.read(style: sheet.text[...])
        sheets.append(sheet.text)
    }

    /// Reads the values of attributes: inherited ones, paths, and the lengths of lines if any may be dashed.
    private mutating func readValues() throws(TintypeError) {
        var markup = SVGMarkup(bytes[...])
        while let piece = markup.next() {
            switch piece {
            case .open(_, let attributes, _): try readValues(attributes)
            case .declaration(let text):
                var inner = SVGMarkup(SVGEntity(text)?.value ?? [])
                while let piece = inner.next() {
                    if case .open(_, let attributes, _) = piece { try readValues(attributes) }
                }
            default: break
            }
        }
        cost.dashes = max(cost.dashes, try dashes.count(textBytes: longestText))
    }

    private mutating func readValues(_ attributes: SVGAttributes) throws(TintypeError) {
        for (name, value) in attributes {
            let isMeasured = SVGInheritedValues.mayHold(name) || SVGOutlines.isPath(name)
            let isPlain = !value.contains(UInt8(ascii: "&")) || !(mayDash || isMeasured)
            let text = isPlain ? value : try entities.resolved(value, in: .attribute)[...]
            inherited.read(attribute: name, text)
            ownOutlines.read(attribute: name, text)
            if mayDash { dashes.read(attribute: name, text) }
        }
    }

    /// Charges each element for all values that it may inherit.
    private mutating func chargeInheritedValues() {
        let bytes = inherited.bytesPerElement.multipliedReportingOverflow(by: cost.elements)
        cost += SVGCost(inheritedBytes: bytes.overflow ? SVGCost.maximum : bytes.partialValue)
    }

    /// Measures how large elements are drawn, if patterns, filters or outlines depend on that.
    private mutating func measureEnlargement(_ limits: DecodeLimits) throws(TintypeError) {
        let dependsOnScale = ownOutlines.dependOnScale(textBytes: longestText, dashes: cost.dashes)
        let isScaled = cost.patterns > 0 || cost.windowSamples > 0
        guard isScaled || dependsOnScale else { return outlines.add(ownOutlines) }
        var (lengths, patterns) = (SVGLengths(), SVGPatterns())
        var markup = SVGMarkup(bytes[...])
        while let piece = markup.next() {
            switch piece {
            case .open(let name, let attributes, let isClosed):
                let tag = SVGTag(name, attributes)
                patterns.read(tag, isClosed: isClosed)
                for (name, value) in attributes {
                    let isPlain = !value.contains(UInt8(ascii: "&"))
                    lengths.read(tag, name, isPlain ? value : try entities.resolved(value, in: .attribute)[...])
                }
            case .close: patterns.close()
            case .declaration(let text): if SVGEntity(text)?.mayContainElements == true { lengths.hide() }
            case .text, .literal, .instruction: break
            }
        }
        for sheet in sheets { lengths.read(sheet: sheet[...]) }
        lengths.finish(textBytes: longestText)
        let tile = lengths.isBounded ? patterns.longestTile(in: lengths) : cost.patterns > 0 ? .infinity : 0
        let weight = SVGStructure.Weight.enlargement(SVGEnlargement(lengths, patterns, tile: tile))
        let depth = try SVGDepth.depth(of: SVGStructure(bytes[...], weight: weight), limits)
        let factor = SVGEnlargement.factor(depth)
        var stated = factor
        if factor > Self.commonEnlargement {
            let weight = SVGEnlargement(lengths, patterns, tile: tile, unknown: 1)
            let structure = SVGStructure(bytes[...], weight: .enlargement(weight))
            stated = min(factor, SVGEnlargement.factor(try SVGDepth.depth(of: structure, limits)))
        }
        ownOutlines.measure(lengths, enlargement: factor, stated: stated)
        outlines.add(ownOutlines)
        if isScaled { enlargement = max(enlargement, factor) }
        if tile > 0 { tileSide = max(tileSide, factor * tile) }
    }

    private static func check(instruction: ArraySlice<UInt8>) throws(TintypeError) {
        guard instruction.starts(with: "xml-stylesheet".utf8) else { return }
        try refuse(instruction.contains(UInt8(ascii: "&")) || SVGText.contains(SVGText.dataScheme, in: instruction))
    }

    private static func refuse(_ isRefused: Bool) throws(TintypeError) {
        if isRefused { throw .takenFromDataURL }
    }

    // MARK: Embedded documents and images

    private mutating func read(
        _ embedding: SVGEmbedding, _ limits: DecodeLimits, _ nesting: Int
    ) throws(TintypeError) {
        switch embedding {
        case .empty: break
        case .image(let size):
            if size.isPositive { try limits.check(ImageInfo(format: .png, size: size)) }
            embeddedPixels = max(embeddedPixels, size.area)
            totalEmbeddedPixels = min(totalEmbeddedPixels + size.area, SVGCost.maximum)
        case .document(let bytes):
            guard nesting < Self.maximumNesting else {
                throw .exceeded(.elements, "an SVG with more than \(Self.maximumNesting) documents inside each other")
            }
            try add(SVGSurvey(bytes, isAbandoned: isAbandoned), limits, nesting)
        case .unknown:
            throw .exceeded(.library, "an SVG that embeds an image that is not PNG, JPEG, GIF, BMP, WebP or SVG")
        }
    }

    private mutating func add(_ survey: SVGSurvey, _ limits: DecodeLimits, _ nesting: Int) throws(TintypeError) {
        var embedded = survey
        try embedded.check(limits, nesting: nesting + 1)
        cost += embedded.cost
        // All count, because any of them may be drawn inside any other.
        embeddedDocuments += [Data(embedded.bytes)] + embedded.embeddedDocuments
        depth += embedded.depth
        layerDepth += embedded.layerDepth + 1
        enlargement = max(enlargement, embedded.enlargement)
        tileSide = max(tileSide, embedded.tileSide)
        outlines.add(embedded.outlines)
        embeddedPixels = max(embeddedPixels, embedded.embeddedPixels)
        totalEmbeddedPixels = min(totalEmbeddedPixels + embedded.totalEmbeddedPixels, SVGCost.maximum)
    }
}

/// Whether the reading is inside an element of a kind.
struct SVGOpenElement {
    /// The number of open elements from the outermost of the kind on.
    private var level = 0

    var isOpen: Bool { level > 0 }

    mutating func open(isIt: Bool) {
        if isOpen || isIt { level += 1 }
    }

    mutating func close() {
        level = max(level - 1, 0)
    }
}
