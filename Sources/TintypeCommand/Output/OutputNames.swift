import Foundation
import Tintype

/// The parts of a file's name.
enum FileName {
    /// Splits a name before the extension of an image format.
    ///
    /// - Returns: The stem, which is not empty, and the extension; `nil` without such an extension.
    static func split(_ name: String) -> (stem: String, ending: String)? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            case let ending = String(name[name.index(after: dot)...]), ImageFormat(fileExtension: ending) != nil
        else { return nil }
        return (String(name[..<dot]), ending)
    }
}

/// A file name for the image of a source: the last path component, made safe, with the extension of an image format.
///
/// The work is O(n) in the length of the source and done once, before any lock is taken.
struct OutputName: Hashable, Sendable {
    let stem: String
    let fileExtension: String

    /// Creates the name for a URL, whose query and fragment are left out.
    ///
    /// - Parameter format: Its extension is used unless the URL already has that of an image format.
    init(for url: String, format: ImageFormat) {
        self.init(Self.lastComponent(of: url), format)
    }

    /// Creates the name for a URL or a path. In a path, every character is part of the name.
    ///
    /// - Parameter format: Its extension is used unless the source already has that of an image format.
    init(for source: SourceArgument, format: ImageFormat) {
        let path = source.path.map { $0.split(separator: "/").last.map(String.init) ?? "" }
        self.init(path ?? Self.lastComponent(of: source.text), format)
    }

    private init(_ name: String, _ format: ImageFormat) {
        let name = Self.shortened(Self.sanitized(name))
        (stem, fileExtension) = FileName.split(name) ?? (name.isEmpty ? "image" : name, format.fileExtension)
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
    /// The last number of each name. Every number that is tried is taken afterwards, so that *n* names need O(*n*)
    /// steps.
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
