import Foundation
import TintypeCore

/// The factor by which an element is drawn larger than a pixel of the document, because of the transforms and view
/// boxes around the element and around those that refer to it.
///
/// The factors are multiplied along each path, so their logarithms are added: ``SVGDepth`` finds the largest sum.
struct SVGEnlargement {
    private let lengths: SVGLengths
    private let tile: Double
    /// Whether it matters how large the contents of patterns are drawn.
    private let patternsContainPatterns: Bool
    /// The largest factors of all patterns. A pattern may inherit each of its attributes from a different pattern.
    private var inherited = (transform: 1.0, viewBox: 1.0, units: 1.0)
    /// The factor that stands for one that is not known.
    private let unknown: Double

    /// The logarithm of 2. A sum that exceeds ``SVGDepth/maximum`` is unbounded, beyond a factor of 2³¹.
    private static let octave = 32.0

    /// - Parameters:
    ///   - tile: The side of the largest tile of a pattern in pixels, before any transform.
    ///   - unknown: The factor that stands for one that is not known: infinity for an upper bound, or 1 for what the
    ///     document plainly states.
    init(_ lengths: SVGLengths, _ patterns: SVGPatterns, tile: Double, unknown: Double = .infinity) {
        (self.lengths, self.tile, patternsContainPatterns) = (lengths, tile, !patterns.drawOnlyImages)
        self.unknown = unknown
        for tag in patterns.tags {
            inherited.transform = max(inherited.transform, transform(of: tag))
            inherited.viewBox = max(inherited.viewBox, viewBox(of: tag))
            inherited.units = max(inherited.units, units(of: tag))
        }
    }

    /// Whether references that cannot be read count.
    var countsHiddenReferences: Bool { unknown > 1 }

    /// Returns the factor for a sum of logarithms.
    static func factor(_ sum: Int) -> Double { sum > SVGDepth.maximum ? .infinity : exp2(Double(sum) / octave) }

    /// Returns the logarithm of the factor by which an element enlarges those in it, rounded up.
    func logarithm(of tag: SVGTag) -> Int {
        let factor = tag.isHeir ? inheritedFactor(of: tag) : transform(of: tag) * contentScale(of: tag)
        guard factor.isFinite else { return SVGDepth.maximum + 1 }
        return Int(min((Self.octave * log2(factor)).rounded(.up), Double(SVGDepth.maximum + 1)))
    }

    /// Returns the factor of a pattern that may inherit each of its attributes from a different pattern.
    private func inheritedFactor(of tag: SVGTag) -> Double {
        let factor = max(transform(of: tag), inherited.transform)
        guard patternsContainPatterns else { return factor }
        return factor * max(viewBox(of: tag), inherited.viewBox) * max(units(of: tag), inherited.units)
    }

    private func transform(of tag: SVGTag) -> Double {
        var factor = lengths.sheetFactor
        for (name, value) in tag.attributes {
            switch String(decoding: name.prefix(20), as: UTF8.self) {
            case "transform", "patternTransform":
                factor *= known(Self.plain(value).flatMap(SVGTransform.factor) ?? .infinity)
            case "style": factor *= transform(inStyle: value)
            default: break
            }
        }
        return factor
    }

    private func transform(inStyle value: ArraySlice<UInt8>) -> Double {
        guard let css = Self.plain(value) else { return unknown }
        return SVGStyleRule.rules(in: css).reduce(1) { factor, rule in
            factor * known(SVGLengths.transform(in: rule.declaration) ?? 1)
        }
    }

    /// Returns a factor of at least 1, or what stands for one that is not known.
    private func known(_ factor: Double) -> Double { factor.isFinite ? max(1, factor) : unknown }

    /// Returns the value of an attribute with character references replaced, or `nil` if it refers to an entity that the
    /// document declares, which may stand for anything.
    private static func plain(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard value.contains(UInt8(ascii: "&")) else { return value }
        guard SVGNames.entityCount(value) == 0 else { return nil }
        return SVGText.resolved(value, in: .attribute) { _ in [] }[...]
    }

    /// Returns the factor for the contents of an element alone.
    private func contentScale(of tag: SVGTag) -> Double {
        guard tag.name != "pattern" || patternsContainPatterns else { return 1 }
        return max(1, viewBox(of: tag)) * max(1, units(of: tag))
    }

    /// Returns the factor of a view box, which is scaled to a viewport.
    private func viewBox(of tag: SVGTag) -> Double {
        var factor = 1.0
        for value in tag.attributes.values(of: "viewBox") where tag.name != "view" {
            guard let value = Self.plain(value) else { return unknown }
            guard let size = SVGLengths.viewBox(value), size.width > 0, size.height > 0 else { continue }
            let viewport = viewport(of: tag)
            guard max(viewport.width, viewport.height).isFinite else { return unknown }
            factor = max(factor, viewport.width / size.width, viewport.height / size.height)
        }
        return factor
    }

    private func viewport(of tag: SVGTag) -> (width: Double, height: Double) {
        switch tag.name {
        case "pattern":
            let side = max(tile, lengths.longestViewport)
            return (side, side)
        case "marker":
            let sides = tag.attributes.values(of: "markerWidth") + tag.attributes.values(of: "markerHeight")
            var own = SVGLengths()
            let plain = sides.compactMap(Self.plain)
            let longest = plain.map { own.length($0) }.max() ?? 0
            // Lengths relative to something else, and entities, are rare here.
            let side = own.isPlain && plain.count == sides.count ? max(longest, 3) : .infinity
            return (side, side)
        default: return lengths.viewport
        }
    }

    /// Returns the factor of units that are parts of another element, or the width of a line.
    ///
    /// A pattern is scaled to the box of one shape or text, which is surveyed. A mask or a filter is scaled to that of any
    /// element: a group has the box around all that it draws, wherever transforms and references put that.
    private func units(of tag: SVGTag) -> Double {
        if tag.name == "marker" { return known(lengths.line) }
        let isRelative = tag.attributes.contains { name, value in
            Self.unitAttributes.contains { name.elementsEqual($0) }
                && !SVGText.trimmed(value).elementsEqual("userSpaceOnUse".utf8)
        }
        guard isRelative else { return 1 }
        return tag.name == "pattern" ? known(lengths.box) : unknown
    }

    private static let unitAttributes = [
        "patternContentUnits", "maskContentUnits", "primitiveUnits",
    ].map { Array($0.utf8) }
}

extension SVGSurvey {
    /// Returns the memory that the tiles of patterns need at once, in bytes.
    ///
    /// - Parameter scale: The number of pixels for a pixel of the document.
    func tileBytes(at scale: Double) -> Double {
        guard tileSide > 0 else { return 0 }
        // cairo does not draw a longer tile.
        let side = min(tileSide * scale, Double(VectorPlacement.maximumSide))
        // The tile of a pattern stays while it is filled with others.
        return 4 * side * side * Double(max(1, min(cost.patterns, layerDepth)))
    }
}
