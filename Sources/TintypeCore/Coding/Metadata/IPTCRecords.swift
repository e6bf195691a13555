import Foundation

/// The texts of IPTC records (IPTC-IIM 4.2), and their properties in XMP (IPTC Photo Metadata Standard 2023.1, "IPTC
/// Core"), for formats that have no place for records.
struct IPTCRecords {
    /// The values of each dataset of record 2, in the order of the file.
    private var values: [UInt8: [String]] = [:]

    /// Reads the datasets before the first damage.
    init(_ records: Data) {
        let bytes = Array(records)
        var (offset, isUTF8) = (0, false)
        while offset + 5 <= bytes.count, bytes[offset] == 0x1C {
            let length = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
            // The length of an extended dataset is longer than a text of this kind.
            guard length < 0x8000, length <= bytes.count - offset - 5 else { return }
            let value = bytes[offset + 5..<offset + 5 + length]
            switch (bytes[offset + 1], bytes[offset + 2]) {
            // The coded character set: the escape sequence of UTF-8 (IPTC-IIM 4.2, 1:90).
            case (1, 90): isUTF8 = value.elementsEqual([0x1B, 0x25, 0x47])
            case (2, let number):
                let text =
                    isUTF8
                    ? String(decoding: value, as: UTF8.self) : String(value.map { Character(UnicodeScalar($0)) })
                // Texts in XML have no control characters.
                let clean = text.filter { $0 >= " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
                if !clean.isEmpty { values[number, default: []].append(clean) }
            default: break
            }
            offset += 5 + length
        }
    }

    // MARK: XMP

    /// The form of a property.
    private enum Form {
        case text
        /// A text in the default language.
        case languages
        case sequence
        case bag
    }

    private static let properties: [(number: UInt8, name: String, form: Form)] = [
        (5, "dc:title", .languages), (25, "dc:subject", .bag), (80, "dc:creator", .sequence),
        (116, "dc:rights", .languages), (120, "dc:description", .languages), (15, "photoshop:Category", .text),
        (20, "photoshop:SupplementalCategories", .bag), (40, "photoshop:Instructions", .text),
        (85, "photoshop:AuthorsPosition", .text), (90, "photoshop:City", .text), (95, "photoshop:State", .text),
        (101, "photoshop:Country", .text), (103, "photoshop:TransmissionReference", .text),
        (105, "photoshop:Headline", .text), (110, "photoshop:Credit", .text), (115, "photoshop:Source", .text),
        (122, "photoshop:CaptionWriter", .text), (92, "Iptc4xmpCore:Location", .text),
        (100, "Iptc4xmpCore:CountryCode", .text),
    ]

    /// Returns an XMP packet with the texts, in addition to those that a packet has. Its own properties stay.
    ///
    /// - Returns: `packet` if there is nothing to add, or no place for it.
    func merged(into packet: Data?) -> Data? {
        let own = packet.map { String(decoding: $0, as: UTF8.self) } ?? ""
        var elements = Self.properties.compactMap { number, name, form in
            own.contains(name) ? nil : values[number].map { Self.element(name, form, $0) }
        }
        if let date = creationDate, !own.contains("photoshop:DateCreated") {
            elements.append(Self.element("photoshop:DateCreated", .text, [date]))
        }
        guard !elements.isEmpty else { return packet }
        let description = """
            <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" \
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
            xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/">\(elements.joined())</rdf:Description>
            """
        guard packet != nil else {
            return Data(
                """
                <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
                \(description)</rdf:RDF></x:xmpmeta>
                """.utf8)
        }
        guard let end = own.range(of: "</rdf:RDF>", options: .backwards) else { return packet }
        return Data(own.replacingCharacters(in: end.lowerBound..<end.lowerBound, with: description).utf8)
    }

    /// The date and the time of day, as `2026-11-29T10:20:30+01:00`.
    private var creationDate: String? {
        guard let date = values[55]?.first, date.count == 8, date.allSatisfy(\.isNumber) else { return nil }
        let digits = Array(date)
        let day = "\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))"
        guard let time = values[60]?.first.map(Array.init), time.count == 11 else { return day }
        let parts = [time[0..<2], time[2..<4], time[4..<6]].map { String($0) }
        return "\(day)T\(parts.joined(separator: ":"))\(String(time[6..<9])):\(String(time[9..<11]))"
    }

    private static func element(_ name: String, _ form: Form, _ values: [String]) -> String {
        let texts = values.map(escaped)
        let content =
            switch form {
            case .text: texts[0]
            case .languages: "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(texts[0])</rdf:li></rdf:Alt>"
            case .sequence: "<rdf:Seq>\(texts.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Seq>"
            case .bag: "<rdf:Bag>\(texts.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Bag>"
            }
        return "<\(name)>\(content)</\(name)>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
