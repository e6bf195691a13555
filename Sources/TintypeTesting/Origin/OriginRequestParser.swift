package import Foundation

/// Reads the requests of an HTTP/1.1 connection (RFC 9112).
///
/// It accepts what clients send. Anything else is an error, after which the connection must be closed.
package struct OriginRequestParser {
    /// Bytes that are not a request.
    package struct SyntaxError: Error {}

    /// A request, and whether the client wants to keep the connection.
    package typealias Arrival = (request: OriginRequest, keepsAlive: Bool)

    /// What the next bytes are.
    private enum Phase {
        case requestLine, fields
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd, trailers
    }

    private var phase = Phase.requestLine
    private var input = [UInt8]()
    /// The first byte that is not used yet, and the first one that was not searched for the end of a line.
    private var position = 0
    private var searched = 0

    private var head = OriginRequestHead()
    private var body = Data()

    package init() {}

    package mutating func append(_ bytes: Data) {
        input.removeFirst(position)
        (searched, position) = (max(0, searched - position), 0)
        input += bytes
    }

    /// Returns the next request, or `nil` until the rest of it has arrived.
    package mutating func next() throws(SyntaxError) -> Arrival? {
        while true {
            switch phase {
            case .body(let remaining):
                guard let rest = takeBody(remaining) else { return finish() }
                phase = .body(remaining: rest)
                if rest > 0 { return nil }
            case .chunk(let remaining):
                let rest = takeBody(remaining) ?? 0
                phase = rest > 0 ? .chunk(remaining: rest) : .chunkEnd
                if rest > 0 { return nil }
            default:
                guard let line = takeLine() else { return nil }
                if try read(line) { return finish() }
            }
        }
    }

    // MARK: Lines

    /// Takes the next line, without its end.
    private mutating func takeLine() -> ArraySlice<UInt8>? {
        guard let end = endOfLine(from: max(position, searched)) else {
            searched = input.count
            return nil
        }
        defer { position = end + 1 }
        let line = input[position..<end]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// Finds a line break. `firstIndex(of:)` needs milliseconds for a long field in a debug build.
    private func endOfLine(from start: Int) -> Int? {
        input.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let end = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(end) - base
        }
    }

    /// Reads a line.
    ///
    /// - Returns: Whether the request ends with it.
    private mutating func read(_ line: ArraySlice<UInt8>) throws(SyntaxError) -> Bool {
        switch phase {
        case .requestLine:
            // Empty lines before a request are ignored (RFC 9112, 2.2).
            guard !line.isEmpty else { return false }
            head = try OriginRequestHead(line)
            phase = .fields
        case .fields:
            guard line.isEmpty else {
                try head.append(line)
                return false
            }
            return try beginBody()
        case .chunkSize:
            let size = try Self.chunkSize(line)
            phase = size > 0 ? .chunk(remaining: size) : .trailers
        case .chunkEnd:
            guard line.isEmpty else { throw SyntaxError() }
            phase = .chunkSize
        case .trailers: return line.isEmpty
        case .body, .chunk: break
        }
        return false
    }

    private mutating func beginBody() throws(SyntaxError) -> Bool {
        if head.isChunked {
            phase = .chunkSize
            return false
        }
        let length = try head.contentLength()
        phase = .body(remaining: length)
        return length == 0
    }

    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(SyntaxError) -> Int {
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        guard let size = Int(digits.trimmingCharacters(in: .whitespaces), radix: 16), size >= 0 else {
            throw SyntaxError()
        }
        return size
    }

    // MARK: Bodies

    /// Takes body bytes that have arrived.
    ///
    /// - Returns: The number of bytes that are still missing; `nil` if none are.
    private mutating func takeBody(_ remaining: Int) -> Int? {
        let end = min(input.count, position + remaining)
        body += input[position..<end]
        let rest = remaining - (end - position)
        position = end
        return rest > 0 ? rest : nil
    }

    private mutating func finish() -> Arrival {
        defer { (phase, head, body) = (.requestLine, OriginRequestHead(), Data()) }
        return (OriginRequest(head, body: body), head.keepsAlive)
    }
}

/// The request line and the fields of a request.
struct OriginRequestHead {
    private(set) var method = ""
    private(set) var target = ""
    private(set) var fields: [(name: String, value: String)] = []
    private var version = ""

    init() {}

    /// Reads a request line.
    init(_ line: ArraySlice<UInt8>) throws(OriginRequestParser.SyntaxError) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw OriginRequestParser.SyntaxError() }
        (method, target, version) = (Self.text(parts[0]), Self.text(parts[1]), Self.text(parts[2]))
        guard ["HTTP/1.1", "HTTP/1.0"].contains(version) else { throw OriginRequestParser.SyntaxError() }
    }

    /// Reads a field line.
    mutating func append(_ line: ArraySlice<UInt8>) throws(OriginRequestParser.SyntaxError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            !line[..<colon].contains(where: { $0 <= UInt8(ascii: " ") })
        else { throw OriginRequestParser.SyntaxError() }
        let value = Self.text(line[(colon + 1)...]).trimmingCharacters(in: .whitespaces)
        fields.append((Self.text(line[..<colon]), value))
    }

    /// Whether the body consists of chunks.
    var isChunked: Bool { tokens("transfer-encoding").contains("chunked") }

    /// Whether the client wants to keep the connection.
    var keepsAlive: Bool {
        let tokens = tokens("connection")
        return version == "HTTP/1.1" ? !tokens.contains("close") : tokens.contains("keep-alive")
    }

    /// Returns the length of a body that does not consist of chunks.
    func contentLength() throws(OriginRequestParser.SyntaxError) -> Int {
        guard let field = fields.first(where: { $0.name.lowercased() == "content-length" }) else { return 0 }
        guard let length = Int(field.value), length >= 0 else { throw OriginRequestParser.SyntaxError() }
        return length
    }

    /// The members of a list, in lower case.
    private func tokens(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    /// Decodes bytes as UTF-8, or as ISO 8859-1 if they are not UTF-8.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
