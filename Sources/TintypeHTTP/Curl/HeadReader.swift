import Foundation

/// Reads the lines of response heads and trailers as libcurl hands them over, and checks what libcurl does not. A pure
/// struct.
///
/// libcurl takes the end of a connection for the end of a head, the last of several lengths for the length of a body,
/// and any number of fields and informational responses for a response.
struct HeadReader: Sendable {
    /// The maximum number of bytes of the lines of one response: those of informational responses and trailers
    /// included.
    static let maximumByteCount = 256 << 10
    /// The maximum number of field lines in one head.
    static let maximumLineCount = 1_000
    /// The maximum number of informational responses before a response.
    static let maximumInformationalCount = 32

    /// The versions by their names in status lines, in lowercase.
    static let versions: [String: HTTPVersion] = [
        "http/1.0": .http1, "http/1.1": .http1, "http/2": .http2, "http/3": .http3,
    ]

    /// What follows.
    private enum Position: Sendable {
        case statusLine, fields, body
    }

    private var position = Position.statusLine
    private var byteCount = 0
    /// The number of lines of the current head.
    private var lineCount = 0
    private var informationalCount = 0
    private var status = 0
    private var version = ""
    private var fields: [(name: String, value: String)] = []

    /// Whether the head is complete: whether the blank line after it was there.
    var isComplete: Bool { position == .body }

    /// Reads one line.
    ///
    /// - Parameter line: The line with its line break.
    /// - Returns: The head, if this line is the last one of it.
    /// - Throws: ``TransportFailure/Kind/malformed``.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(TransportFailure) -> TransportHead? {
        byteCount += line.count
        guard byteCount <= Self.maximumByteCount else {
            throw Self.malformed("the header fields have more than \(Self.maximumByteCount) bytes")
        }
        let line = Self.withoutLineBreak(line)
        switch position {
        case .statusLine: try readStatusLine(line)
        case .fields where line.isEmpty: return try finishHead()
        case .fields: try readField(line)
        // A trailer, or the head of a second response: libcurl sends a request again for some statuses.
        case .body where line.starts(with: "HTTP/".utf8): throw Self.malformed("it follows another response")
        case .body: break
        }
        return nil
    }

    private static func withoutLineBreak(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = line.count
        if count > 0, line[count - 1] == UInt8(ascii: "\n") { count -= 1 }
        if count > 0, line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<count])
    }

    /// Reads `HTTP/1.1 200 OK` (RFC 9112, 4).
    private mutating func readStatusLine(_ line: UnsafeRawBufferPointer) throws(TransportFailure) {
        let space = UInt8(ascii: " ")
        let end = line.firstIndex(of: space) ?? line.count
        let number = Self.text(line[min(end + 1, line.count)...].prefix { $0 != space })
        guard number.utf8.count == 3, let status = Int(digits: number) else {
            throw Self.malformed("the server does not speak HTTP")
        }
        guard (100..<600).contains(status), status != 101 else { throw Self.malformed("the status \(number)") }
        version = Self.text(line[..<end]).lowercased()
        guard Self.versions[version] != nil else {
            throw Self.malformed("the version \(String(reflecting: version.prefix(20)))")
        }
        self.status = status
        (position, lineCount) = (.fields, 0)
        fields.reserveCapacity(16)
    }

    /// Reads a field (RFC 9112, 5), or another line of the field before (5.2).
    private mutating func readField(_ line: UnsafeRawBufferPointer) throws(TransportFailure) {
        lineCount += 1
        guard lineCount <= Self.maximumLineCount else {
            throw Self.malformed("more than \(Self.maximumLineCount) header lines")
        }
        guard !Self.isSpace(line[0]) else { return try continueField(line) }
        var colon = 0
        while colon < line.count, HTTPFields.isToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
            throw Self.malformed("a field without a valid name")
        }
        let value = Self.trimmed(line[(colon + 1)...])
        guard !value.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) else {
            throw Self.malformed("a field with a control character")
        }
        let name = Self.text(line[..<colon])
        // The bytes of a URL that are not ASCII mean themselves, whatever their encoding is.
        fields.append((name, HTTPFields.isSame(name, "location") ? Self.escaped(value) : Self.text(value)))
    }

    private mutating func continueField(_ line: UnsafeRawBufferPointer) throws(TransportFailure) {
        guard let last = fields.indices.last else { throw Self.withoutName }
        let rest = Self.trimmed(line[...])
        if !rest.isEmpty { fields[last].value += (fields[last].value.isEmpty ? "" : " ") + Self.text(rest) }
    }

    private mutating func finishHead() throws(TransportFailure) -> TransportHead? {
        defer { fields = [] }
        guard status >= 200 else {
            informationalCount += 1
            guard informationalCount <= Self.maximumInformationalCount else {
                throw Self.malformed("more than \(Self.maximumInformationalCount) informational responses")
            }
            position = .statusLine
            return nil
        }
        position = .body
        try checkTransferCodings()
        try unifyLengths()
        return TransportHead(status: status, version: version, headers: HTTPFields(fields))
    }

    /// Replaces equal lengths, in several fields or in a list, by one (RFC 9112, 6.3).
    private mutating func unifyLengths() throws(TransportFailure) {
        let isLength: (String) -> Bool = { HTTPFields.isSame($0, "content-length") }
        guard let first = fields.firstIndex(where: { isLength($0.name) }) else { return }
        if fields.lastIndex(where: { isLength($0.name) }) == first, Int(digits: fields[first].value) != nil { return }
        let values = fields.filter { isLength($0.name) }
            .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false) }
        let lengths = Set(values.map { Int(digits: HTTPList.trimmed($0)) })
        guard lengths.count == 1, let length = lengths.first ?? nil else {
            throw Self.malformed("the length of the body is not one number")
        }
        fields[first].value = String(length)
        fields = fields.indices.filter { $0 == first || !isLength(fields[$0].name) }.map { fields[$0] }
    }

    /// Whether a field of the current head was read.
    var hasField: Bool { !fields.isEmpty }

    /// Whether a line that is read next continues a field, but no field precedes it.
    func isContinuationWithoutField(_ line: UnsafeRawBufferPointer) -> Bool {
        position == .fields && !hasField && line.first.map(Self.isSpace) == true
    }

    /// The error of a continuation that no field precedes.
    static let withoutName = malformed("a field without a name")

    /// The error of a body that no head precedes.
    static let withoutHead = malformed("a body without a head")

    /// Refuses codings that libcurl 7.88 also removes, such as `gzip` (RFC 9112, 7.2), without a limit on what comes of
    /// it. A body in chunks has the length that its chunks state, whatever another field says (6.3).
    private mutating func checkTransferCodings() throws(TransportFailure) {
        let isCoding: (String) -> Bool = { HTTPFields.isSame($0, "transfer-encoding") }
        guard fields.contains(where: { isCoding($0.name) }) else { return }
        let codings = fields.filter { isCoding($0.name) }
            .flatMap { HTTPList.elements($0.value) }.map { $0.lowercased() }
        guard codings.allSatisfy({ $0 == "chunked" || $0 == "identity" }), codings.count < 2 else {
            throw Self.malformed(
                "the transfer codings \(String(reflecting: codings.joined(separator: ", ").prefix(60)))")
        }
        if codings == ["chunked"] { fields.removeAll { $0.name.lowercased() == "content-length" } }
    }

    private static func malformed(_ message: String) -> TransportFailure {
        TransportFailure(.malformed, "the response is not valid: \(message)")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while start < end, isSpace(bytes[end - 1]) { end -= 1 }
        return bytes[start..<end]
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    /// Returns a text in which bytes that are not ASCII are percent-encoded.
    private static func escaped(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return text(bytes) }
        let digits = Array("0123456789ABCDEF".utf8)
        let escaped = bytes.flatMap { byte in
            byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension HTTPFields {
    /// Whether a byte may be part of a name or a method (RFC 9110, 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
