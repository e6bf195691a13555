import Foundation

extension XMPPacket {
    private static let dublinCore = Namespace(name: "http://purl.org/dc/elements/1.1/", prefix: "dc")
    private static let rights = Namespace(name: "http://ns.adobe.com/xap/1.0/rights/", prefix: "xmpRights")
    private static let creativeCommons = Namespace(name: "http://creativecommons.org/ns#", prefix: "cc")
    private static let mediaManagement = Namespace(name: "http://ns.adobe.com/xap/1.0/mm/", prefix: "xmpMM")

    /// The properties that name authors, rights and licences (XMP specification, part 1, 8.3 and 8.5; ccREL).
    private static let copyrightProperties: [(namespace: Namespace, name: String, form: XMPElement.Form)] = [
        (dublinCore, "rights", .languages), (dublinCore, "creator", .sequence), (dublinCore, "contributor", .bag),
        (dublinCore, "publisher", .bag),
        (rights, "Certificate", .text), (rights, "Marked", .text), (rights, "Owner", .bag),
        (rights, "UsageTerms", .languages), (rights, "WebStatement", .text),
        (creativeCommons, "license", .text), (creativeCommons, "attributionName", .text),
        (creativeCommons, "attributionURL", .text), (creativeCommons, "morePermissions", .text),
        (creativeCommons, "useGuidelines", .text),
    ]

    /// A packet with the authors, rights and licences alone; `nil` if there are none, or if one is malformed.
    ///
    /// It is written anew from the texts, so nothing else of this packet comes with them.
    var copyright: Data? {
        var (copy, elements) = (self, [String]())
        do throws(Unreadable) {
            // They describe other images, which are parts of this one.
            for name in ["Pantry", "Ingredients"] { try copy.removeProperties(name, in: Self.mediaManagement) }
            for (namespace, name, form) in Self.copyrightProperties {
                guard let property = try copy.properties(name, in: namespace).first else { continue }
                let texts = copy.texts(of: property)
                if !texts.isEmpty { elements.append(XMPElement.property("\(namespace.prefix):\(name)", form, texts)) }
            }
        } catch {
            return nil
        }
        guard !elements.isEmpty else { return nil }
        let namespaces = [Self.dublinCore, Self.rights, Self.creativeCommons].map { ($0.prefix, $0.name) }
        return XMPElement.packet(
            XMPElement.description(elements, Dictionary(uniqueKeysWithValues: namespaces)))
    }

    /// Returns the texts of a property, escaped: those of its list, or its only one. What contains other elements is
    /// left out.
    private func texts(of property: Property) -> [String] {
        let value = String(decoding: text[property.value], as: UTF8.self)
        let texts: [Substring]
        if value.isEmpty {
            texts = resource(of: property).map { [$0] } ?? []
        } else if value.contains("<") {
            // Each part is the inside of a tag and the text after it.
            let parts = value.split(separator: "<", omittingEmptySubsequences: false)
            texts = zip(parts, parts.dropFirst()).compactMap { part, next in
                guard part.hasPrefix("rdf:li"), next.hasPrefix("/rdf:li") else { return nil }
                return part.firstIndex(of: ">").map { part[part.index(after: $0)...] }
            }
        } else {
            texts = [value[...]]
        }
        return texts.map {
            XMPElement.printable(String($0)).trimmingCharacters(in: .whitespacesAndNewlines).replacing(
                ">", with: "&gt;")
        }.filter { !$0.isEmpty }
    }

    /// Returns the URL of a property without content: `<cc:license rdf:resource="…"/>`.
    private func resource(of property: Property) -> Substring? {
        let tag = String(decoding: text[property.whole], as: UTF8.self)
        let parts = tag.components(separatedBy: "rdf:resource").dropFirst().first?.split(
            maxSplits: 2, omittingEmptySubsequences: false
        ) { $0 == "\"" || $0 == "'" }
        guard let parts, parts.count == 3, parts[0].trimmingCharacters(in: .whitespacesAndNewlines) == "=" else {
            return nil
        }
        return parts[1]
    }
}
