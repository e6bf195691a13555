package import Foundation

/// An XMP packet in UTF-8, as far as decoders and encoders need it: the orientation and the place (ISO 16684-1; XMP
/// specification, part 2, 2.6 and 3.2).
///
/// Properties are attributes or elements of the RDF. They are found by their usual prefixes, and by those that the packet
/// declares for their namespaces.
package struct XMPPacket {
    private var text: [UInt8]

    /// - Returns: `nil` for bytes that are not RDF in an encoding that contains ASCII, or for more than 1 MB.
    package init?(_ packet: Data) {
        guard packet.count <= Self.maximumByteCount, packet.range(of: Data("rdf:RDF".utf8)) != nil else { return nil }
        text = Array(packet)
    }

    private static let maximumByteCount = 1 << 20
    /// The number of places at which a property may begin. Each costs a search through the packet.
    private static let maximumProperties = 200

    private struct Namespace {
        let name: String
        let prefix: String
    }

    private static let tiff = Namespace(name: "http://ns.adobe.com/tiff/1.0/", prefix: "tiff")
    private static let gainMap = Namespace(name: "http://ns.adobe.com/hdr-gain-map/1.0/", prefix: "hdrgm")
    private static let exif = Namespace(name: "http://ns.adobe.com/exif/1.0/", prefix: "exif")

    /// The orientation (`tiff:Orientation`); `nil` if it is absent or invalid.
    package var orientation: Orientation? {
        guard let property = properties(Self.tiff, beginningWith: "Orientation")?.first else { return nil }
        let value = String(decoding: text[property.value].filter { $0 > 0x20 }, as: UTF8.self)
        return Int(value).flatMap(Orientation.init(rawValue:))
    }

    /// Returns the numbers of a property of the gain map namespace (Adobe Gain Map specification), one or a list; `nil` if
    /// it is absent.
    package func gainMapNumbers(_ name: String) -> [Double]? {
        guard let property = properties(Self.gainMap, beginningWith: name)?.first else { return nil }
        // A list is in elements; the names of their tags have no numbers.
        let words = text[property.value].split { $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
        let numbers = words.compactMap { Double(String(decoding: $0, as: UTF8.self)) }
        return numbers.isEmpty || !numbers.allSatisfy(\.isFinite) ? nil : numbers
    }

    /// Whether a property of the gain map namespace is true.
    package func gainMapFlag(_ name: String) -> Bool {
        guard let property = properties(Self.gainMap, beginningWith: name)?.first else { return false }
        return String(decoding: text[property.value], as: UTF8.self).lowercased().contains("true")
    }

    /// Returns the packet for an upright image, without the place unless it is kept.
    ///
    /// - Returns: `nil` if the packet has more such properties than any writer makes.
    func rewritten(keepsLocation: Bool) -> Data? {
        var copy = self
        guard let orientations = copy.properties(Self.tiff, beginningWith: "Orientation") else { return nil }
        for property in orientations.reversed() { copy.text.replaceSubrange(property.value, with: "1".utf8) }
        guard !keepsLocation else { return Data(copy.text) }
        guard let places = copy.properties(Self.exif, beginningWith: "GPS") else { return nil }
        for property in places.reversed() { copy.text.removeSubrange(property.whole) }
        return Data(copy.text)
    }

    // MARK: Properties

    /// A property as text: an attribute with its name, or an element with its tags.
    private struct Property {
        let whole: Range<Int>
        let value: Range<Int>
    }

    /// Returns the properties of a namespace whose names begin with a word, in order; `nil` if there are too many.
    private func properties(_ namespace: Namespace, beginningWith name: String) -> [Property]? {
        var (all, left) = ([Property](), Self.maximumProperties)
        for prefix in prefixes(of: namespace) {
            let start = prefix + Array(":\(name)".utf8)
            var rest = text.startIndex
            while let place = place(of: start, from: rest) {
                left -= 1
                guard left >= 0 else { return nil }
                let property = property(at: place)
                if let property { all.append(property) }
                rest = property?.whole.upperBound ?? place + start.count
            }
        }
        return all.sorted { $0.whole.lowerBound < $1.whole.lowerBound }
    }

    /// Returns the prefixes that stand for a namespace: the usual one, and those that the packet declares.
    private func prefixes(of namespace: Namespace) -> Set<[UInt8]> {
        let name = Array(namespace.name.utf8)
        var (prefixes, rest) = (Set([Array(namespace.prefix.utf8)]), text.startIndex)
        while let place = place(of: name, from: rest), prefixes.count < 10 {
            // Before it is a quote, an equals sign, and the name of the attribute.
            let equals = text[..<max(place - 1, 0)].lastIndex { $0 > 0x20 } ?? 0
            let prefix = text[..<equals].suffix(60).split { $0 == UInt8(ascii: ":") || $0 <= 0x20 }.last
            if text[equals] == UInt8(ascii: "="), let prefix { prefixes.insert(Array(prefix)) }
            rest = place + name.count
        }
        return prefixes
    }

    /// Returns the property whose name begins at a place; `nil` if neither an attribute nor an element does.
    private func property(at start: Int) -> Property? {
        guard start > 0 else { return nil }
        let name = start..<(text[start...].firstIndex { $0 <= 0x20 || Self.nameEnds.contains($0) } ?? text.endIndex)
        let before = text[start - 1]
        return before == UInt8(ascii: "<") ? element(name) : before <= 0x20 ? attribute(name) : nil
    }

    private static let nameEnds: Set<UInt8> = Set("=/>".utf8)
    private static let quotes: Set<UInt8> = Set("\"'".utf8)

    private func attribute(_ name: Range<Int>) -> Property? {
        guard let equals = text[name.upperBound...].firstIndex(where: { $0 > 0x20 }), text[equals] == UInt8(ascii: "="),
            let quote = text[(equals + 1)...].firstIndex(where: { $0 > 0x20 }), Self.quotes.contains(text[quote]),
            let end = text[(quote + 1)...].firstIndex(of: text[quote])
        else { return nil }
        return Property(whole: name.lowerBound..<end + 1, value: quote + 1..<end)
    }

    private func element(_ name: Range<Int>) -> Property? {
        let start = name.lowerBound - 1
        guard let open = text[name.upperBound...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
        if text[open - 1] == UInt8(ascii: "/") { return Property(whole: start..<open + 1, value: open + 1..<open + 1) }
        guard let close = place(of: Array("</".utf8) + text[name], from: open + 1),
            let end = text[close...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        return Property(whole: start..<end + 1, value: open + 1..<close)
    }

    /// Returns the first place of some bytes from an offset on.
    private func place(of word: [UInt8], from start: Int) -> Int? {
        var rest = text[start...]
        while let first = rest.firstIndex(of: word[0]) {
            rest = rest[first...]
            if rest.starts(with: word) { return first }
            rest = rest.dropFirst()
        }
        return nil
    }
}
