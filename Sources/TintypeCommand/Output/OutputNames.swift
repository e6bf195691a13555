import Foundation
import Tintype

/// A file name for the image at a URL: the last path component, made safe, with the extension of an image format.
///
/// The work is O(n) in the length of the URL and done once, before any lock is taken.
struct OutputName: Hashable, Sendable {
    let stem: String
    let fileExtension: String

    /// - Parameter format: Its extension is used unless the URL already has that of an image format.
    init(for url: String, format: ImageFormat) {
        let name = Self.shortened(Self.sanitized(Self.lastComponent(of: url)))
        if let dot = name.lastIndex(of: "."), dot != name.startIndex,
            case let ending = String(name[name.index(after: dot)...]), ImageFormat(fileExtension: ending) != nil
        {
            (stem, fileExtension) = (String(name[..<dot]), ending)
        } else {
            (stem, fileExtension) = (name.isEmpty ? "image" : name, format.fileExtension)
        }
    }

    private static func lastComponent(of url: String) -> String {
        guard url.utf8.prefix(5).map({ $0 | 0x20 }) != Array("data:".utf8) else { return "" }
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let last = path.split(separator: UInt8(ascii: "/")).last ?? path.prefix(0)
        let component = String(decoding: last, as: UTF8.self)
        return component.removingPercentEncoding ?? component
    }

    /// Replaces separators, and characters that a terminal would interpret or hide.
    private static func sanitized(_ name: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            safe.append(scalar.isPrintable && !reserved.contains(scalar) ? scalar : "_")
        }
        return String(safe)
    }

    /// Returns the end of a name, which has the extension, without dots, dashes and spaces at its start: a shell hides
    /// `.name`, and commands take `-name` for an option.
    private static func shortened(_ name: String) -> String {
        var start = name.endIndex
        let scalars = name.unicodeScalars
        while start > name.startIndex, name.utf8.distance(from: start, to: name.endIndex) < maximumByteCount - 4 {
            start = scalars.index(before: start)
        }
        return String(scalars[start...].drop { $0 == "." || $0 == " " || $0 == "-" })
    }

    private static let reserved = Set("/\\:*?\"<>|".unicodeScalars)

    /// Leaves room for a number and an extension within the 255 bytes of most file systems.
    private static let maximumByteCount = 180
}

/// The names that are in use, so that equal ones get numbers.
struct OutputNames: Sendable {
    private var taken: Set<String> = []
    /// The last number of each name. Every number that is tried is taken afterwards, so that *n* names need O(*n*) steps.
    private var numbers: [String: Int] = [:]

    /// Returns an unused file name, which is `name` or a numbered form of it.
    mutating func next(_ name: OutputName) -> String {
        // Names are compared without case because some file systems ignore it.
        let key = "\(name.stem).\(name.fileExtension)".lowercased()
        var number = numbers[key] ?? 1
        while true {
            let candidate = "\(name.stem)\(number == 1 ? "" : "-\(number)").\(name.fileExtension)"
            number += 1
            guard taken.insert(candidate.lowercased()).inserted else { continue }
            numbers[key] = number
            return candidate
        }
    }
}
