package import Foundation

/// A value of the Redis serialization protocol, version 2 or 3
/// (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).
package enum RESPValue: Hashable, Sendable {
    /// A key of a map with its value.
    package struct Entry: Hashable, Sendable {
        package var key, value: RESPValue

        package init(_ key: RESPValue, _ value: RESPValue) {
            (self.key, self.value) = (key, value)
        }
    }

    /// A line (`+`).
    case simple(String)
    /// An error: a line (`-`), or a text of any length (`!`). Begins with a code in capitals.
    case error(String)
    /// A 64-bit integer (`:`).
    case integer(Int64)
    /// Bytes (`$`).
    case bulk(Data)
    /// No value: `_`, or a length of -1 in version 2.
    case null
    /// A list (`*`).
    case array([RESPValue])
    /// A number (`,`).
    case double(Double)
    /// True or false (`#`).
    case boolean(Bool)
    /// The decimal digits of an integer of any size, perhaps after a sign (`(`).
    case bigNumber(String)
    /// A text with its format in three letters, such as `txt` (`=`).
    case verbatim(format: String, Data)
    /// Keys with their values, in the order of the server (`%`).
    case map([Entry])
    /// Members without order (`~`).
    case set([RESPValue])
    /// A message that answers no command (`>`).
    case push([RESPValue])
}

extension RESPValue {
    /// The text of a line or of bytes; `nil` for other values.
    var text: String? {
        switch self {
        case .simple(let text): text
        case .bulk(let bytes), .verbatim(_, let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// The bytes of a bulk string or verbatim text; `nil` for other values.
    var bytes: Data? {
        switch self {
        case .bulk(let bytes), .verbatim(_, let bytes): bytes
        default: nil
        }
    }

    /// The name of the type, for messages.
    var typeName: String {
        switch self {
        case .simple: "a line"
        case .error: "an error"
        case .integer: "an integer"
        case .bulk: "bytes"
        case .null: "null"
        case .array: "an array"
        case .double: "a number"
        case .boolean: "a boolean"
        case .bigNumber: "a big number"
        case .verbatim: "a text"
        case .map: "a map"
        case .set: "a set"
        case .push: "a push message"
        }
    }
}
