import Foundation
import Tintype

/// A list of URLs, one a line.
enum URLList {
    /// - Parameter name: the path of a file, or `-` for standard input.
    /// - Throws: ``TintypeError/Code/notFound`` or ``TintypeError/Code/unreadable``.
    static func read(_ name: String) throws(TintypeError) -> [SourceArgument] {
        parse(String(decoding: try bytes(name), as: UTF8.self))
    }

    /// Blank lines and lines that begin with `#` do not count.
    static func parse(_ text: String) -> [SourceArgument] {
        text.split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
            .map(SourceArgument.init(argument:))
    }

    private static func bytes(_ name: String) throws(TintypeError) -> Data {
        if name == "-" { return FileHandle.standardInput.readDataToEndOfFile() }
        let file = try LocalFile(reading: name)
        return try file.read(file.byteCount, from: 0)
    }
}
