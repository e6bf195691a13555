import TintypeHTTP

/// An output format that a client must name in `Accept` before it gets it.
enum NegotiableFormat: String, Hashable, Sendable, CaseIterable {
    case avif
    case webp
    case jxl

    /// The media type, as clients write it.
    var mediaType: String { "image/\(rawValue)" }

    /// Whether the server writes animations in this format.
    var holdsAnimations: Bool { self == .webp }
}

/// The formats that replace the default one for a client: what is left of `Accept` in the key of a rendition.
///
/// Thousands of different `Accept` values exist. Reducing them first keeps the number of renditions of a URL small.
struct AcceptClass: Hashable, Sendable {
    /// The format of still images; `nil` for the default one.
    var still: NegotiableFormat?
    /// The format of animations; `nil` for the default one.
    var animated: NegotiableFormat?

    /// The class of clients that get the default formats.
    static let none = AcceptClass()

    /// The format of an image; `nil` for the default one.
    func format(isAnimated: Bool) -> NegotiableFormat? { isAnimated ? animated : still }
}

/// The quality values of an `Accept` field (RFC 9110, 12.4.2 and 12.5.1).
struct AcceptHeader: Sendable {
    /// The quality of each media range in lowercase, from 0 to 1,000.
    private var qualities: [String: Int] = [:]

    /// The maximum size of the field, in bytes. A longer one counts as absent.
    static let maximumByteCount = 4096

    /// Reads the field of a request. The first of equal ranges counts. Parameters other than `q` are ignored.
    init(_ fields: HTTPFields) {
        let values = fields.values("accept")
        guard values.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumByteCount else { return }
        for element in values.flatMap({ HTTPList.elements($0) }) {
            let parts = HTTPList.elements(element, separator: ";")
            guard let range = parts.first?.lowercased(), qualities[range] == nil else { continue }
            qualities[range] = Self.quality(of: parts.dropFirst())
        }
    }

    /// The quality of a media range. An invalid value counts as 0, so that the client gets the default format.
    private static func quality(of parameters: ArraySlice<String>) -> Int {
        for parameter in parameters {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, HTTPList.trimmed(pair[0]).lowercased() == "q" else { continue }
            return thousandths(HTTPList.trimmed(pair[1])) ?? 0
        }
        return 1000
    }

    /// Parses a `qvalue`: 0 to 1, with at most three decimals.
    static func thousandths(_ text: String) -> Int? {
        let digits = Array(text.utf8)
        guard let first = digits.first, first == 0x30 || first == 0x31, digits.count <= 5 else { return nil }
        guard digits.count == 1 || digits[1] == 0x2E else { return nil }
        var (value, unit) = (Int(first - 0x30) * 1000, 100)
        for digit in digits.dropFirst(2) {
            guard (0x30...0x39).contains(digit) else { return nil }
            value += Int(digit - 0x30) * unit
            unit /= 10
        }
        return value <= 1000 ? value : nil
    }

    /// The quality of a media type that a range names; `nil` if none does. Wildcards do not count.
    func quality(of mediaType: String) -> Int? { qualities[mediaType] }

    /// The quality of the formats that every client reads, which are the alternative to a negotiated one.
    var defaultQuality: Int {
        let named = ["image/jpeg", "image/png", "image/gif"].compactMap { qualities[$0] }
        return named.max() ?? qualities["image/*"] ?? qualities["*/*"] ?? 0
    }

    /// Returns the class of the client.
    ///
    /// A client gets a format if it names it with a quality above 0 that is not below the quality of the default
    /// formats. `image/*` and `*/*` name no format, because clients that cannot read AVIF send them too.
    ///
    /// - Parameter formats: The formats that the server may choose, the preferred one first among those of equal
    ///   quality.
    func reduced(to formats: [NegotiableFormat]) -> AcceptClass {
        let minimum = max(1, defaultQuality)
        func best(_ candidates: [NegotiableFormat]) -> NegotiableFormat? {
            var best: (format: NegotiableFormat, quality: Int)?
            for format in candidates {
                guard let quality = qualities[format.mediaType], quality >= minimum else { continue }
                if quality > best?.quality ?? 0 { best = (format, quality) }
            }
            return best?.format
        }
        return AcceptClass(still: best(formats), animated: best(formats.filter(\.holdsAnimations)))
    }
}
