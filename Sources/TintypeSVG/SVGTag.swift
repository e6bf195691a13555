import Foundation

/// The beginning of an element, as far as it matters for what drawing it costs.
struct SVGTag {
    private let text: ArraySlice<UInt8>
    private let name: ArraySlice<UInt8>

    /// So that each byte is looked at a bounded number of times.
    private static let longest = 512

    /// - Parameter place: after the `<`, where the name of an element begins.
    init(at place: Int, in bytes: ArraySlice<UInt8>) {
        var quote: UInt8?
        text = bytes[place...].prefix(Self.longest).prefix { byte in
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            return quote != nil || byte != UInt8(ascii: ">")
        }
        let full = text.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        // Without the prefix of a namespace.
        name = full.lastIndex(of: UInt8(ascii: ":")).map { full[($0 + 1)...] } ?? full
    }

    var cost: SVGCost {
        var cost = SVGCost(elements: 1)
        cost.repeated = isOne(of: ["use", "marker", "pattern", "image", "feImage"]) ? 1 : 0
        cost.asides = isOne(of: ["mask", "clipPath", "filter"]) ? 1 : 0
        guard name.starts(with: "fe".utf8) else { return cost }
        cost.looks = name.elementsEqual("feTurbulence".utf8) ? octaves : 1
        // The radius of the one may be scaled to any number of pixels, the kernel of the other has any size.
        cost.wideFilters = isOne(of: ["feMorphology", "feConvolveMatrix"]) ? 1 : 0
        return cost
    }

    private func isOne(of names: [String]) -> Bool { names.contains { name.elementsEqual($0.utf8) } }

    /// Each is a layer of noise; what is no plain number of one or two digits counts as without end, as does a tag that is
    /// too long to be read.
    private var octaves: Int {
        guard text.count < Self.longest else { return SVGCost.most }
        let words = String(decoding: text, as: UTF8.self).components(separatedBy: "numOctaves")
        guard words.count > 1 else { return 1 }
        let value = words[1].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first else { return SVGCost.most }
        let digits = value.dropFirst().prefix { $0 != quote }
        return digits.count <= 2 ? Int(digits).map { max($0, 1) } ?? SVGCost.most : SVGCost.most
    }
}
