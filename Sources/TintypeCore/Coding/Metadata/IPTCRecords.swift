import Foundation

/// The texts of IPTC records (IPTC-IIM 4.2), and their properties in XMP (IPTC Photo Metadata Standard 2023.1, "IPTC
/// Core"), for formats that have no place for records.
struct IPTCRecords {
    /// The values of each dataset of record 2, in the order of the file.
    private var values: [UInt8: [String]] = [:]

    /// Reads the datasets before the first damage.
    init(_ records: Data) {
        var isUTF8 = false
        for dataset in Self.datasets(of: records) {
            let value = records[dataset.value]
            switch (dataset.record, dataset.number) {
            // The coded character set: the escape sequence of UTF-8 (IPTC-IIM 4.2, 1:90).
            case (1, 90): isUTF8 = value.elementsEqual([0x1B, 0x25, 0x47])
            case (2, let number):
                let text =
                    isUTF8
                    ? String(decoding: value, as: UTF8.self) : String(value.map { Character(UnicodeScalar($0)) })
                let clean = XMPElement.printable(text)
                if !clean.isEmpty { values[number, default: []].append(clean) }
            default: break
            }
        }
    }

    /// A dataset: its number, and the ranges of all of it and of its value.
    private struct Dataset {
        let record: UInt8
        let number: UInt8
        let whole: Range<Data.Index>
        let value: Range<Data.Index>
    }

    /// Returns the datasets before the first damage.
    private static func datasets(of records: Data) -> [Dataset] {
        var (datasets, rest) = ([Dataset](), records)
        while rest.count >= 5, rest.first == 0x1C {
            let start = rest.startIndex
            let length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
            // The length of an extended dataset is longer than a text of this kind.
            guard length < 0x8000, length <= rest.count - 5 else { break }
            let end = start + 5 + length
            datasets.append(
                Dataset(record: rest[start + 1], number: rest[start + 2], whole: start..<end, value: start + 5..<end))
            rest = rest[end...]
        }
        return datasets
    }

    // MARK: Copyright

    /// The datasets of record 2 that name the author, the credit line and the copyright.
    private static let copyrightNumbers: Set<UInt8> = [80, 110, 116]

    /// Returns the records that name the author, the credit line and the copyright, with the character set and the
    /// version of the records; `nil` if there are none.
    static func copyright(in records: Data) -> Data? {
        let kept = datasets(of: records).filter {
            switch ($0.record, $0.number) {
            case (1, 90), (2, 0): true
            case (2, let number): copyrightNumbers.contains(number) && records[$0.value].contains { $0 > 0x20 }
            default: false
            }
        }
        guard kept.contains(where: { $0.record == 2 && $0.number != 0 }) else { return nil }
        return kept.reduce(into: Data()) { $0 += records[$1.whole] }
    }

    // MARK: XMP

    private static let properties: [(number: UInt8, name: String, form: XMPElement.Form)] = [
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
        let description = XMPElement.description(elements, Self.namespaces)
        guard packet != nil else { return XMPElement.packet(description) }
        guard let end = own.range(of: "</rdf:RDF>", options: .backwards) else { return packet }
        return Data(own.replacingCharacters(in: end.lowerBound..<end.lowerBound, with: description).utf8)
    }

    private static let namespaces = [
        "dc": "http://purl.org/dc/elements/1.1/", "photoshop": "http://ns.adobe.com/photoshop/1.0/",
        "Iptc4xmpCore": "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
    ]

    /// The date and the time of day, as `2026-11-29T10:20:30+01:00`.
    private var creationDate: String? {
        guard let date = values[55]?.first, date.count == 8, date.allSatisfy(\.isNumber) else { return nil }
        let digits = Array(date)
        let day = "\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))"
        guard let time = values[60]?.first.map(Array.init), time.count == 11 else { return day }
        let parts = [time[0..<2], time[2..<4], time[4..<6]].map { String($0) }
        return "\(day)T\(parts.joined(separator: ":"))\(String(time[6..<9])):\(String(time[9..<11]))"
    }

    private static func element(_ name: String, _ form: XMPElement.Form, _ values: [String]) -> String {
        XMPElement.property(name, form, values.map(XMPElement.escaped))
    }
}
