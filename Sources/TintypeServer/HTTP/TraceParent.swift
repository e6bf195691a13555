/// The position of a request in a trace, as the field `traceparent` states it (W3C Trace Context, 3.2).
struct TraceParent: Hashable, Sendable {
    /// The identifier of the trace: 32 hexadecimal digits in lowercase.
    let traceID: String

    /// The name of the header field.
    static let fieldName = "traceparent"

    /// Reads the field: `00-TRACE-PARENT-FLAGS`. A later version may have more parts.
    ///
    /// - Returns: `nil` for anything invalid.
    init?(_ text: String?) {
        guard let text, text.utf8.count <= 128 else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, count: $1) }),
            parts[0] != "ff", parts[0] != "00" || parts.count == 4, parts[1].contains(where: { $0 != "0" }),
            parts[2].contains(where: { $0 != "0" })
        else { return nil }
        traceID = String(parts[1])
    }

    private static func isHexadecimal(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
