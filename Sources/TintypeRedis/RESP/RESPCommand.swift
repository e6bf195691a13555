package import Foundation

/// A command in the form that servers receive: an array of bulk strings.
package struct RESPCommand: Hashable, Sendable {
    /// An argument of a command, or its name.
    package enum Argument: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        case text(String)
        case bytes(Data)
        case number(Int64)

        package init(stringLiteral text: String) { self = .text(text) }
        package init(integerLiteral number: Int64) { self = .number(number) }
    }

    /// The encoded command.
    package private(set) var bytes: Data

    /// Encodes a command. Arguments may contain any bytes.
    package init(_ arguments: [Argument]) {
        let contentSize = arguments.reduce(0) { $0 + $1.estimatedSize }
        bytes = Data(capacity: contentSize + 16 * (arguments.count + 1))
        append(header: "*", arguments.count)
        for argument in arguments { append(argument) }
    }

    /// Encodes a command. Arguments may contain any bytes.
    package init(_ arguments: Argument...) {
        self.init(arguments)
    }

    private mutating func append(_ argument: Argument) {
        switch argument {
        case .text(var text): text.withUTF8 { append($0) }
        case .bytes(let data):
            append(header: "$", data.count)
            bytes.append(data)
            bytes.append(contentsOf: Self.lineEnd)
        case .number(let number):
            var text = String(number)
            text.withUTF8 { append($0) }
        }
    }

    private mutating func append(_ content: UnsafeBufferPointer<UInt8>) {
        append(header: "$", content.count)
        bytes.append(content)
        bytes.append(contentsOf: Self.lineEnd)
    }

    private mutating func append(header: String, _ count: Int) {
        var text = "\(header)\(count)\r\n"
        text.withUTF8 { bytes.append($0) }
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]
}

extension RESPCommand.Argument {
    fileprivate var estimatedSize: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let data): data.count
        case .number: 20
        }
    }
}
