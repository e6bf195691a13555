import Foundation
import Tintype

/// Writes whole files: under a temporary name beside the target, then renamed, so that a failure leaves nothing behind.
enum OutputFile {
    /// - Throws: ``TintypeError/Code/unwritable``.
    static func write(_ data: Data, to path: String) async throws(TintypeError) {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            let temporary = "\(path).\(UUID().uuidString.prefix(8)).part"
            do {
                try data.write(to: URL(filePath: temporary))
                guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                let number = errno
                unlink(temporary)
                throw failure(error, number, path)
            }
        }
    }

    /// - Throws: ``TintypeError/Code/unwritable``.
    static func makeFolder(_ path: String) throws(TintypeError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw failure(error, errno, path)
        }
    }

    private static func failure(_ error: any Error, _ number: Int32, _ path: String) -> TintypeError {
        let posix = (error as? CocoaError)?.underlying as? POSIXError
        let reason = SystemError.description(posix?.code.rawValue ?? number)
        return TintypeError(.unwritable, stage: .store, "cannot write: \(reason)", subject: path, underlying: error)
    }
}

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
