import Foundation
import Tintype

/// Writes files atomically: under a temporary name beside the target, then renamed, so that a failure leaves no file.
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

    /// Creates a directory and the directories above it, if they are missing.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    static func createDirectory(_ path: String) throws(TintypeError) {
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

/// File names for fetched images: the last path component of each URL, made safe, and numbered where two are equal.
struct OutputNames: Sendable {
    private var taken: Set<String> = []

    /// Returns an unused name for the image at `url`.
    ///
    /// The name has the extension of `format`, unless the URL already has that of an image format.
    mutating func next(for url: String, format: ImageFormat) -> String {
        let name = Self.sanitized(Self.lastComponent(of: url))
        let (stem, fileExtension) = Self.split(name, format)
        var candidate = "\(stem).\(fileExtension)"
        var number = 2
        // Names are compared without case because some file systems ignore it.
        while !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(stem)-\(number).\(fileExtension)"
            number += 1
        }
        return candidate
    }

    private static func lastComponent(of url: String) -> String {
        guard !url.lowercased().hasPrefix("data:") else { return "" }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
        return last.removingPercentEncoding ?? last
    }

    /// Replaces separators and control characters, removes leading dots, and shortens the name to 180 bytes.
    private static func sanitized(_ name: String) -> String {
        let characters = name.unicodeScalars.map { scalar -> Character in
            scalar.properties.generalCategory == .control || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
                ? "_" : Character(scalar)
        }
        var short = String(String(characters).drop { $0 == "." || $0 == " " })
        while short.utf8.count > 180 { short.removeFirst() }
        return short.isEmpty ? "image" : short
    }

    private static func split(_ name: String, _ format: ImageFormat) -> (stem: String, fileExtension: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            ImageFormat(fileExtension: String(name[name.index(after: dot)...])) != nil
        else { return (name, format.fileExtension) }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }
}
