import Foundation
import Tintype

/// File names for what is fetched: the last part of each URL, made harmless, and told apart by a number.
struct OutputNames: Sendable {
    private var taken: Set<String> = []

    /// A name that no one has yet, for the picture at `url`.
    ///
    /// The extension is that of the format, unless the URL has one of a picture's already.
    mutating func next(for url: String, format: ImageFormat) -> String {
        let base = Self.harmless(Self.lastPart(of: url))
        let (stem, ending) = Self.split(base, format)
        var candidate = "\(stem).\(ending)"
        var number = 2
        // Compared without case, since some file systems do.
        while !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(stem)-\(number).\(ending)"
            number += 1
        }
        return candidate
    }

    private static func lastPart(of url: String) -> String {
        guard !url.lowercased().hasPrefix("data:") else { return "" }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
        return last.removingPercentEncoding ?? last
    }

    /// No separators, control characters or leading dots, and short enough for every file system.
    private static func harmless(_ name: String) -> String {
        let kept = name.unicodeScalars.map { scalar -> Character in
            scalar.properties.generalCategory == .control || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
                ? "_" : Character(scalar)
        }
        let cleaned = String(kept).drop { $0 == "." || $0 == " " }
        var short = String(cleaned)
        while short.utf8.count > 180 { short.removeFirst() }
        return short.isEmpty ? "image" : short
    }

    private static func split(_ name: String, _ format: ImageFormat) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            ImageFormat(fileExtension: String(name[name.index(after: dot)...])) != nil
        else { return (name, format.fileExtension) }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }
}
