import TintypeHTTP

/// What part of a body a request wants (RFC 9110, 14.2).
enum ByteRange: Hashable, Sendable {
    /// All bytes: the request has no range, or one that the server ignores.
    case whole
    /// The bytes of a range within the body (206).
    case part(Range<Int>)
    /// The range begins after the end of the body (416).
    case unsatisfiable

    /// Reads the `Range` field. Several ranges, other units and invalid fields are ignored, as RFC 9110, 14.2 permits.
    ///
    /// - Parameter length: The number of bytes of the body.
    init(_ fields: HTTPFields, length: Int) {
        self = .whole
        guard fields.values("range").count == 1, let value = fields["range"] else { return }
        let pair = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, HTTPList.trimmed(pair[0]).lowercased() == "bytes" else { return }
        let bounds = HTTPList.trimmed(pair[1]).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.bound(bounds[0]), let last = Self.bound(bounds[1]) else { return }
        switch (first, last) {
        case (.number(let first), .number(let last)):
            guard first <= last else { return }
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        case (.number(let first), .absent): self = first < length ? .part(first..<length) : .unsatisfiable
        case (.absent, .number(let count)):
            self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
        case (.absent, .absent): return
        }
    }

    private enum Bound {
        case absent
        case number(Int)
    }

    /// Parses one side of a range; `nil` if it is not a number. A number that is too large counts as the largest.
    private static func bound(_ text: Substring) -> Bound? {
        guard !text.isEmpty else { return .absent }
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .number(Int(text) ?? .max)
    }
}
