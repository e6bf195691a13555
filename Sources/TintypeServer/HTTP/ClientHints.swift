import Foundation
import TintypeHTTP

/// The size and the saving that a client asks for in header fields.
struct ClientHints: Hashable, Sendable {
    /// The device pixels of a CSS pixel, in steps of a quarter up to 8; `nil` without the hint.
    var pixelRatio: Double?
    /// The width of the image in CSS pixels, a multiple of 64; `nil` without the hint.
    var width: Int?
    /// Whether the client asks for less data (`Save-Data: on`).
    var savesData = false

    /// By how much the quality of the output is lower for a client that saves data.
    static let qualityReduction = 15

    /// No hints.
    static let none = ClientHints()

    /// The step of widths, in CSS pixels. Every client has its own width, and each would cost a rendition of its own.
    static let widthStep = 64
    private static let pixelRatioStep = 0.25
    private static let maximumPixelRatio = 8.0
    private static let maximumWidth = 65_535

    /// Reads the hints for the size. A field that is invalid or out of range counts as absent.
    ///
    /// Both values are rounded up, so that no image is smaller than the place it is for.
    static func size(_ fields: HTTPFields) -> ClientHints {
        let ratio = first(of: ["sec-ch-dpr", "dpr"], in: fields) { text -> Double? in
            guard let ratio = decimal(text), ratio > 0, ratio <= maximumPixelRatio else { return nil }
            return (ratio / pixelRatioStep).rounded(.up) * pixelRatioStep
        }
        let width = first(of: ["sec-ch-width", "width"], in: fields) { text -> Int? in
            guard let width = decimal(text), width == width.rounded(), width > 0, width <= Double(maximumWidth) else {
                return nil
            }
            return Int(width)
        }
        // The hint is in device pixels, and the pixel ratio multiplies it again.
        let step = Double(widthStep)
        let rounded = width.map { Int((Double($0) / (ratio ?? 1) / step).rounded(.up) * step) }
        return ClientHints(pixelRatio: ratio, width: rounded)
    }

    /// Whether the client saves data: the field is the token `on`, possibly with parameters.
    static func savesData(_ fields: HTTPFields) -> Bool {
        guard let value = fields["save-data"] else { return false }
        return HTTPList.trimmed(value.prefix { $0 != ";" }).lowercased() == "on"
    }

    private static func first<Value>(
        of names: [String], in fields: HTTPFields, parse: (String) -> Value?
    ) -> Value? {
        for name in names {
            if let value = fields[name].flatMap({ parse(HTTPList.trimmed($0)) }) { return value }
        }
        return nil
    }

    /// Parses a non-negative decimal of RFC 9651, 3.3.2: at most 12 digits, then at most 3 after the point.
    private static func decimal(_ text: String) -> Double? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...12).contains(whole.utf8.count),
            parts.count == 1 || (1...3).contains(parts[1].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return Double(text)
    }
}
