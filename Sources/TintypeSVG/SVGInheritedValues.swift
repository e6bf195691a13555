/// The longest values of the properties that librsvg stores as a string or a list in each element that has or inherits
/// them, while it parses a document.
///
/// Any of them may apply to any element.
struct SVGInheritedValues {
    /// The longest value of each property, in bytes.
    private var longest: [String: Int] = [:]

    /// The properties, with the bytes that librsvg 2.54 stores in an element for each byte of a value. Measured: 1 for a
    /// string, 3 for `marker`, which sets three properties, and 8 for a list of dashes: 16 for a digit and a space.
    /// An element that a style sheet matches stores the value twice: as stated and as computed.
    private static let bytesPerByte: [String: Int] = [
        "font-family": 2, "font": 2, "lang": 2, "fill": 2, "stroke": 2, "filter": 2, "mask": 2, "clip-path": 2,
        "marker": 6, "marker-start": 2, "marker-mid": 2, "marker-end": 2, dashes: 16, hidden: 16,
    ]
    private static let dashes = "stroke-dasharray"
    /// Stands for a property whose name an escape hides.
    private static let hidden = "\\"

    /// The largest number of bytes that all values take in one element.
    var bytesPerElement: Int {
        longest.reduce(0) { $0 + $1.value * (Self.bytesPerByte[$1.key] ?? 0) }
    }

    /// Returns whether an attribute is such a property, or may state one.
    static func mayHold(_ attribute: ArraySlice<UInt8>) -> Bool {
        attribute.elementsEqual("style".utf8) || bytesPerByte[name(attribute)] != nil
    }

    /// Reads an attribute, with references replaced.
    mutating func read(attribute: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        attribute.elementsEqual("style".utf8) ? read(style: value) : read(Self.name(attribute), value)
    }

    /// Reads the declarations of a style sheet or a `style` attribute.
    mutating func read(style css: ArraySlice<UInt8>) {
        for rule in SVGStyleRule.rules(in: css) {
            let declaration = SVGText.withoutComments(rule.declaration)
            let property = declaration.prefix { $0 != UInt8(ascii: ":") }
            let name = Self.name(SVGText.trimmed(property))
            // An escape may hide which property it is.
            read(name.contains(Self.hidden) ? Self.hidden : name, declaration[property.endIndex...].dropFirst())
        }
    }

    private mutating func read(_ property: String, _ value: ArraySlice<UInt8>) {
        guard Self.bytesPerByte[property] != nil else { return }
        longest[property] = max(longest[property] ?? 0, value.count)
    }

    private static func name(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.prefix(20), as: UTF8.self).lowercased()
    }
}
