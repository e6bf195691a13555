/// What makes the bytes of a server unacceptable. The connection cannot be used afterwards.
package enum RESPViolation: Error, Hashable, Sendable {
    /// The bytes do not follow the protocol; a few words say why.
    case malformed(String)
    /// The value, or one in it, has more bytes than the limit.
    case tooLarge(limit: Int)
    /// A line has more bytes than the limit.
    case lineTooLong(limit: Int)
    /// Aggregates are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// The value consists of more values than the limit.
    case tooMany(limit: Int)
}

extension RESPViolation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let reason): "the server violated the protocol: \(reason)"
        case .tooLarge(let limit): "the server sent a value of more than \(limit) bytes"
        case .lineTooLong(let limit): "the server sent a line of more than \(limit) bytes"
        case .tooDeep(let limit): "the server sent values that are nested more than \(limit) deep"
        case .tooMany(let limit): "the server sent a reply of more than \(limit) values"
        }
    }
}

/// The limits within which a reply is accepted. They bound the memory that a server can make a decoder use.
package struct RESPLimits: Hashable, Sendable {
    /// The size of one bulk string, in bytes.
    package var bulkSize: Int
    /// The size of all bulk strings and lines of a reply in bytes, beyond `bulkSize`.
    package var surplusSize = 65_536
    /// The size of a line without its end, in bytes.
    package var lineSize = 4096
    /// The number of aggregates around a value.
    package var depth = 8
    /// The number of values in a reply, with those of nested aggregates.
    package var count = 4096

    package init(bulkSize: Int) {
        self.bulkSize = bulkSize
    }
}
