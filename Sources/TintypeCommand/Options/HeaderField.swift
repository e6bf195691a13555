import ArgumentParser
import Foundation

/// One `name: value`.
struct HeaderField: ExpressibleByArgument {
    let name: String
    let value: String

    /// Only what RFC 9110, 5.1 and 5.5 allow: a line break would begin another field.
    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        name = String(argument[..<colon])
        value = argument[argument.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), value.utf8.allSatisfy({ $0 >= 0x20 || $0 == 9 }) else {
            return nil
        }
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }
}
