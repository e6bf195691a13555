import Foundation

/// Decodes the replies of a server, in pieces of any size.
///
/// It holds at most one incomplete reply, within ``RESPLimits``. Attributes (`|`) are skipped. Values whose length is
/// not announced (`$?`) are refused: no server sends them.
package struct RESPDecoder: Sendable {
    private enum Phase: Sendable {
        /// Reads a line that begins a value.
        case line
        /// Reads a bulk string: the bytes so far, and their number together with that of the line end.
        case bulk(BulkKind, Data, wholeSize: Int)
    }

    private enum BulkKind: Sendable {
        case bytes, error, verbatim
    }

    private let limits: RESPLimits
    private var phase = Phase.line
    /// The beginning of an incomplete line.
    private var line: [UInt8] = []
    private var stack = RESPStack()
    /// The sizes of what was read of the reply.
    private var size = 0

    package init(_ limits: RESPLimits) {
        self.limits = limits
    }

    /// Decodes bytes, all of them unless a reply is refused.
    ///
    /// - Parameter use: Receives each reply that is complete.
    /// - Throws: A violation, after which the decoder must not be used.
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, _ use: (RESPValue) -> Void
    ) throws(RESPViolation) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let value =
                if case .bulk(let kind, let content, let wholeSize) = phase {
                    try decodeBulk(kind, content, wholeSize, &rest)
                } else {
                    try decodeLine(&rest)
                }
            guard let value, let reply = stack.add(value) else { continue }
            size = 0
            use(reply)
        }
    }

    // MARK: Lines

    /// - Returns: The value of the line if it is one; `nil` if more must be read.
    private mutating func decodeLine(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(RESPViolation) -> RESPValue? {
        let end = rest.firstIndex(of: 0x0A)
        let part = rest[..<(end ?? rest.endIndex)]
        guard line.count + part.count <= limits.lineSize + 1 else { throw .lineTooLong(limit: limits.lineSize) }
        line.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
        guard let end else {
            rest = rest[rest.endIndex...]
            return nil
        }
        rest = rest[(end + 1)...]
        guard line.popLast() == 0x0D else { throw .malformed("a line does not end with CR LF") }
        try count(line.count)
        defer { line.removeAll(keepingCapacity: true) }
        return try value(of: line)
    }

    private mutating func count(_ bytes: Int) throws(RESPViolation) {
        size += bytes
        let limit = limits.bulkSize + limits.surplusSize
        guard size <= limit else { throw .tooLarge(limit: limit) }
    }

    private mutating func value(of line: [UInt8]) throws(RESPViolation) -> RESPValue? {
        guard let type = line.first else { throw .malformed("an empty line") }
        let content = line.dropFirst()
        guard !content.contains(0x0D) else { throw .malformed("a line contains CR") }
        switch UnicodeScalar(type) {
        case "$": return try beginBulk(.bytes, content)
        case "!": return try beginBulk(.error, content)
        case "=": return try beginBulk(.verbatim, content)
        case "*": return try begin(.array, content)
        case "%": return try begin(.map, content)
        case "~": return try begin(.set, content)
        case ">": return try begin(.push, content)
        case "|": return try begin(.attribute, content)
        default: return try RESPScalar.value(UnicodeScalar(type), content)
        }
    }

    // MARK: Aggregates

    private mutating func begin(_ kind: RESPStack.Kind, _ length: ArraySlice<UInt8>) throws(RESPViolation) -> RESPValue?
    {
        if kind == .array, RESPScalar.isMinusOne(length) { return .null }
        guard let announced = RESPScalar.length(length) else { throw .malformed("the length of an aggregate") }
        guard kind != .push || stack.isEmpty else { throw .malformed("a push message within a reply") }
        guard announced <= limits.count else { throw .tooMany(limit: limits.count) }
        guard stack.depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
        let value = stack.begin(kind, announced)
        guard stack.announcedCount <= limits.count else { throw .tooMany(limit: limits.count) }
        return value
    }

    // MARK: Bulk strings

    private mutating func beginBulk(_ kind: BulkKind, _ length: ArraySlice<UInt8>) throws(RESPViolation) -> RESPValue? {
        if kind == .bytes, RESPScalar.isMinusOne(length) { return .null }
        guard let announced = RESPScalar.length(length) else { throw .malformed("the length of a bulk string") }
        guard announced <= limits.bulkSize else { throw .tooLarge(limit: limits.bulkSize) }
        try count(announced)
        // A server may announce much and send nothing.
        phase = .bulk(kind, Data(capacity: min(announced + 2, 1 << 20)), wholeSize: announced + 2)
        return nil
    }

    private mutating func decodeBulk(
        _ kind: BulkKind, _ content: Data, _ wholeSize: Int, _ rest: inout Slice<UnsafeRawBufferPointer>
    ) throws(RESPViolation) -> RESPValue? {
        var content = content
        // The phase must not hold a second reference, or appending would copy.
        phase = .line
        let part = rest.prefix(wholeSize - content.count)
        rest = rest[part.endIndex...]
        content.append(UnsafeRawBufferPointer(rebasing: part))
        guard content.count == wholeSize else {
            phase = .bulk(kind, content, wholeSize: wholeSize)
            return nil
        }
        guard content.suffix(2).elementsEqual([0x0D, 0x0A]) else {
            throw .malformed("a bulk string does not end with CR LF")
        }
        content.removeLast(2)
        return try Self.value(kind, content)
    }

    private static func value(_ kind: BulkKind, _ content: Data) throws(RESPViolation) -> RESPValue {
        switch kind {
        case .bytes: return .bulk(content)
        case .error: return .error(String(decoding: content, as: UTF8.self))
        case .verbatim:
            guard content.count >= 4, content[content.startIndex + 3] == UInt8(ascii: ":") else {
                throw .malformed("a text without its format")
            }
            return .verbatim(format: String(decoding: content.prefix(3), as: UTF8.self), Data(content.dropFirst(4)))
        }
    }
}

extension Data {
    fileprivate mutating func append(_ part: UnsafeRawBufferPointer) {
        part.withMemoryRebound(to: UInt8.self) { append($0) }
    }
}
