import Foundation
import TintypeCore

/// Composes the boxes of an ISO base media file (ISO/IEC 14496-12, 4.2).
extension Data {
    /// Returns a box.
    ///
    /// - Parameter kind: The type, four ASCII letters.
    static func box(_ kind: String, _ contents: Data...) -> Data {
        box(kind, contents)
    }

    /// Returns a box whose contents begin with a version and flags.
    static func fullBox(_ kind: String, version: Int = 0, flags: Int = 0, _ contents: Data...) -> Data {
        box(kind, [numbers(version << 24 | flags)] + contents)
    }

    private static func box(_ kind: String, _ contents: [Data]) -> Data {
        var box = numbers(contents.reduce(8) { $0 + $1.count }) + Data(kind.utf8)
        for part in contents { box += part }
        return box
    }

    /// Returns numbers, the most significant byte first.
    ///
    /// - Parameter size: The bytes of each number, at most 8.
    static func numbers(_ numbers: Int..., size: Int = 4) -> Data {
        Self.numbers(numbers, size: size)
    }

    /// Returns numbers, the most significant byte first.
    ///
    /// - Parameter size: The bytes of each number, at most 8.
    static func numbers(_ numbers: [Int], size: Int = 4) -> Data {
        var data = Data(capacity: numbers.count * size)
        for number in numbers { data.append(bigEndian: number, size) }
        return data
    }
}
