package import Foundation

/// An XMP packet in UTF-8 (ISO 16684-1; XMP specification, part 2, 2.6 and 3.2). Decoders and encoders use its
/// orientation, location and gain map parameters.
///
/// Properties are attributes or elements of the RDF. Those of a namespace are found by its usual prefix, and by the
/// prefixes that the packet declares for it.
package struct XMPPacket {
    private(set) var text: [UInt8]

    /// - Returns: `nil` for bytes that are not RDF in an encoding that contains ASCII, or for more than 1 MB.
    package init?(_ packet: Data) {
        guard packet.count <= Self.maximumByteCount, packet.range(of: Data("rdf:RDF".utf8)) != nil else { return nil }
        text = Array(packet)
    }

    private static let maximumByteCount = 1 << 20
    /// The maximum number of occurrences of the name of a property or a namespace.
    private static let maximumProperties = 200
    /// The maximum length of the name of a property after its prefix, in bytes.
    private static let maximumNameLength = 256

    struct Namespace {
        let name: String
        let prefix: String
    }

    private static let tiff = Namespace(name: "http://ns.adobe.com/tiff/1.0/", prefix: "tiff")
    private static let gainMap = Namespace(name: "http://ns.adobe.com/hdr-gain-map/1.0/", prefix: "hdrgm")
    private static let container = Namespace(name: "http://ns.google.com/photos/1.0/container/", prefix: "Container")
    private static let appleGainMap = Namespace(name: "http://ns.apple.com/HDRGainMap/1.0/", prefix: "HDRGainMap")
    /// The prefixes of the names of location properties in any namespace: `exif:GPSLatitude`, and those of
    /// manufacturers, such as `drone-dji:GpsLatitude`.
    private static let locationNames = ["GPS", "Gps", "gps"]

    /// The orientation (`tiff:Orientation`); `nil` if it is absent or invalid.
    package var orientation: Orientation? {
        guard let value = value("Orientation", in: Self.tiff) else { return nil }
        return Int(String(decoding: value.filter { $0 > 0x20 }, as: UTF8.self)).flatMap(Orientation.init(rawValue:))
    }

    /// Returns the numbers of a property of the gain map namespace (Adobe Gain Map specification), one or a list; `nil`
    /// if it is absent.
    package func gainMapNumbers(_ name: String) -> [Double]? { numbers(name, in: Self.gainMap) }

    /// The headroom of an Apple gain map: its highest luminance in multiples of reference white
    /// (`HDRGainMap:HDRGainMapHeadroom`); `nil` if it is absent.
    package var appleHeadroom: Double? { numbers("HDRGainMapHeadroom", in: Self.appleGainMap)?.first }

    private func numbers(_ name: String, in namespace: Namespace) -> [Double]? {
        guard let value = value(name, in: namespace) else { return nil }
        // A list is a sequence of elements. Their tag names are not numbers, so they can be split off like white space.
        let words = value.split { $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
        let numbers = words.compactMap { Double(String(decoding: $0, as: UTF8.self)) }
        return numbers.isEmpty || !numbers.allSatisfy(\.isFinite) ? nil : numbers
    }

    /// Whether a property of the gain map namespace is true.
    package func gainMapFlag(_ name: String) -> Bool {
        guard let value = value(name, in: Self.gainMap) else { return false }
        return String(decoding: value, as: UTF8.self).lowercased().contains("true")
    }

    private func value(_ name: String, in namespace: Namespace) -> ArraySlice<UInt8>? {
        (try? properties(name, in: namespace))?.first.map { text[$0.value] }
    }

    // MARK: Rewriting

    /// Returns the packet for an upright image without a gain map, and without the location unless it is kept.
    ///
    /// - Returns: `nil` if an orientation or location property is malformed, or if there are more of them than any
    ///   writer creates.
    func rewritten(keepsLocation: Bool) -> Data? {
        var copy = self
        do throws(Unreadable) {
            try copy.resetOrientation()
            // They describe a gain map. The new file has none, or a map of its own.
            try copy.removeProperties("Version", in: Self.gainMap)
            try copy.removeProperties("Directory", in: Self.container)
            for name in Self.locationNames where !keepsLocation { try copy.removeProperties(beginningWith: name) }
        } catch {
            return nil
        }
        return Data(copy.text)
    }

    private mutating func resetOrientation() throws(Unreadable) {
        for property in try properties("Orientation", in: Self.tiff).reversed() where !property.value.isEmpty {
            guard !text[property.value].contains(UInt8(ascii: "<")) else { throw Unreadable() }
            text.replaceSubrange(property.value, with: "1".utf8)
        }
    }

    mutating func removeProperties(_ name: String, in namespace: Namespace) throws(Unreadable) {
        for property in try properties(name, in: namespace).reversed() { text.removeSubrange(property.whole) }
    }

    private mutating func removeProperties(beginningWith name: String) throws(Unreadable) {
        let properties = try properties(beginningWith: name) { _, _ in true }
        guard !properties.isEmpty else { return }
        for property in properties.reversed() { text.removeSubrange(property.whole) }
        // In a malformed packet, the bytes before and after a removed property may form another one.
        let others = try self.properties(beginningWith: name) { _, _ in true }
        guard others.isEmpty else { throw Unreadable() }
    }

    // MARK: Properties

    /// A property of interest is malformed, or there are too many of them.
    struct Unreadable: Error {}

    /// A property as text: an attribute with its name, or an element with its tags.
    struct Property {
        let whole: Range<Int>
        let value: Range<Int>
    }

    /// Returns the properties of one name in a namespace, in order.
    func properties(_ name: String, in namespace: Namespace) throws(Unreadable) -> [Property] {
        guard position(of: Array(name.utf8), in: text[...]) != nil else { return [] }
        let prefixes = try prefixes(of: namespace)
        return try properties(beginningWith: name) { prefix, local in
            prefixes.contains(Array(prefix)) && local.elementsEqual(name.utf8)
        }
    }

    /// Returns the properties whose names begin with a word after the prefix, in order. None of them contains another.
    ///
    /// - Parameter isIncluded: Receives the prefix, which may be empty, and the rest of the name.
    private func properties(
        beginningWith word: String, where isIncluded: (ArraySlice<UInt8>, ArraySlice<UInt8>) -> Bool
    ) throws(Unreadable) -> [Property] {
        let word = Array(word.utf8)
        var (properties, rest, left) = ([Property](), text[...], Self.maximumProperties)
        while let position = position(of: word, in: rest) {
            left -= 1
            guard left >= 0 else { throw Unreadable() }
            let property = try property(at: position, where: isIncluded)
            if let property { properties.append(property) }
            rest = text[(property?.whole.upperBound ?? position + word.count)...]
        }
        return properties
    }

    /// Returns the prefixes of a namespace: the usual one, and those that the packet declares. The result contains the
    /// empty prefix if the packet declares the namespace as the default.
    private func prefixes(of namespace: Namespace) throws(Unreadable) -> Set<[UInt8]> {
        let name = Array(namespace.name.utf8)
        var (prefixes, rest, left) = (Set([Array(namespace.prefix.utf8)]), text[...], Self.maximumProperties)
        while let position = position(of: name, in: rest) {
            left -= 1
            guard left >= 0 else { throw Unreadable() }
            // The name of the attribute, an equals sign and a quote precede the namespace.
            let equals = text[..<max(position - 1, 0)].lastIndex { $0 > 0x20 } ?? 0
            let prefix = text[..<equals].suffix(60).split { $0 == UInt8(ascii: ":") || $0 <= 0x20 }.last
            if text[equals] == UInt8(ascii: "="), let prefix {
                prefixes.insert(prefix.elementsEqual("xmlns".utf8) ? [] : Array(prefix))
            }
            rest = text[(position + name.count)...]
        }
        return prefixes
    }

    /// Returns the property whose local name begins at an index; `nil` if it is not the name of an attribute or
    /// element.
    private func property(
        at local: Int, where isIncluded: (ArraySlice<UInt8>, ArraySlice<UInt8>) -> Bool
    ) throws(Unreadable) -> Property? {
        let start = nameStart(before: local)
        guard start > 0 else { return nil }
        let before = text[start - 1]
        guard before == UInt8(ascii: "<") || before <= 0x20 else { return nil }
        let searched = text[local...].prefix(Self.maximumNameLength)
        let end = searched.firstIndex { $0 <= 0x20 || Self.nameEnds.contains($0) } ?? searched.endIndex
        // A longer search at each of many positions would take seconds.
        guard end < text.endIndex, end < local + Self.maximumNameLength else { throw Unreadable() }
        let name = start..<end
        // A declaration of a prefix is not a property.
        let prefix = text[start..<local].dropLast()
        guard !prefix.elementsEqual("xmlns".utf8), isIncluded(prefix, text[local..<name.upperBound]) else { return nil }
        return before == UInt8(ascii: "<") ? try element(name) : try attribute(name)
    }

    /// Returns the index at which the qualified name of a local name begins.
    private func nameStart(before local: Int) -> Int {
        guard local > 0, text[local - 1] == UInt8(ascii: ":") else { return local }
        let end = text[..<(local - 1)].lastIndex { $0 <= 0x20 || Self.nameBounds.contains($0) }
        return end.map { $0 + 1 } ?? 0
    }

    private static let nameEnds: Set<UInt8> = Set("=/>".utf8)
    private static let nameBounds: Set<UInt8> = Set("<>/=:\"'".utf8)
    private static let quotes: Set<UInt8> = Set("\"'".utf8)

    private func attribute(_ name: Range<Int>) throws(Unreadable) -> Property? {
        guard let equals = text[name.upperBound...].firstIndex(where: { $0 > 0x20 }), text[equals] == UInt8(ascii: "="),
            let quote = text[(equals + 1)...].firstIndex(where: { $0 > 0x20 }), Self.quotes.contains(text[quote])
        else { return nil }
        guard let end = text[(quote + 1)...].firstIndex(of: text[quote]) else { throw Unreadable() }
        return Property(whole: name.lowerBound..<end + 1, value: quote + 1..<end)
    }

    private func element(_ name: Range<Int>) throws(Unreadable) -> Property {
        let start = name.lowerBound - 1
        guard let open = tagEnd(from: name.upperBound) else { throw Unreadable() }
        if text[open - 1] == UInt8(ascii: "/") { return Property(whole: start..<open + 1, value: open..<open) }
        guard let close = closingTag(of: text[name], from: open + 1),
            let end = text[close...].firstIndex(of: UInt8(ascii: ">")),
            // With a nested element of the same name, the first end tag would be that of the inner element.
            position(of: Array("<".utf8) + text[name], in: text[open + 1..<close]) == nil
        else { throw Unreadable() }
        return Property(whole: start..<end + 1, value: open + 1..<close)
    }

    /// Returns the index of the `>` that ends a tag. Attribute values may contain this character.
    private func tagEnd(from start: Int) -> Int? {
        var quote: UInt8?
        return text[start...].firstIndex { byte in
            if quote == nil, Self.quotes.contains(byte) {
                quote = byte
            } else if byte == quote {
                quote = nil
            } else {
                return quote == nil && byte == UInt8(ascii: ">")
            }
            return false
        }
    }

    private func closingTag(of name: ArraySlice<UInt8>, from start: Int) -> Int? {
        let tag = Array("</".utf8) + name
        var rest = text[start...]
        while let position = position(of: tag, in: rest) {
            rest = text[(position + tag.count)...]
            if let next = rest.first, next <= 0x20 || next == UInt8(ascii: ">") { return position }
        }
        return nil
    }

    /// Returns the index of the first occurrence of `word`.
    private func position(of word: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let first = rest.firstIndex(of: word[0]) {
            rest = rest[first...]
            if rest.starts(with: word) { return first }
            rest = rest.dropFirst()
        }
        return nil
    }
}
