import Foundation

/// Writes the properties of an XMP packet as elements of RDF (ISO 16684-1, 7.4 to 7.9).
enum XMPElement {
    /// The form of a property.
    enum Form: Sendable {
        case text
        /// A text in the default language.
        case languages
        case sequence
        case bag
    }

    /// Returns a property.
    ///
    /// - Parameter texts: At least one text, escaped. A property that is no list has the first one.
    static func property(_ name: String, _ form: Form, _ texts: [String]) -> String {
        let content =
            switch form {
            case .text: texts[0]
            case .languages: "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(texts[0])</rdf:li></rdf:Alt>"
            case .sequence: "<rdf:Seq>\(texts.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Seq>"
            case .bag: "<rdf:Bag>\(texts.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Bag>"
            }
        return "<\(name)>\(content)</\(name)>"
    }

    /// Returns the properties as a description of the image.
    ///
    /// - Parameter namespaces: The namespaces of the prefixes of the properties.
    static func description(_ properties: [String], _ namespaces: [String: String]) -> String {
        let declarations = namespaces.sorted { $0.key < $1.key }.map { " xmlns:\($0.key)=\"\($0.value)\"" }.joined()
        return "<rdf:Description rdf:about=\"\"\(declarations)>\(properties.joined())</rdf:Description>"
    }

    /// Returns a packet with a description.
    static func packet(_ description: String) -> Data {
        Data(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            \(description)</rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    /// Returns a text without the control characters that XML does not have.
    static func printable(_ text: String) -> String {
        text.filter { $0 >= " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
