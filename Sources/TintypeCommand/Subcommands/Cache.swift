import ArgumentParser
import Foundation
import Tintype

/// `tintype cache`: inspects and maintains the disk cache.
struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Inspect and maintain the disk cache.",
        subcommands: [Path.self, Stats.self, List.self, Remove.self, Clear.self, Trim.self, Verify.self])

    /// The options of every subcommand.
    struct Options: ParsableArguments {
        @OptionGroup var location: CacheLocation
        @OptionGroup var terminal: TerminalOptions

        @Flag(help: "Write JSON.")
        var json = false
    }
}

extension Cache {
    /// `tintype cache path`: prints where the cache, or one entry, is.
    struct Path: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path",
            abstract: "Print the cache directory, or the path of the file for a URL.",
            discussion: "The file holds the original bytes of the URL. It exists only if the cache has them.")

        @Argument(help: "A URL.")
        var url: SourceArgument?

        @OptionGroup var options: Options

        func run() async throws {
            let cache = options.location.diskCache
            let path =
                try url.map { cache.path(for: ImageRequest(source: try $0.source()).key) }
                ?? cache.directory.path(percentEncoded: false)
            if options.json { return try StandardOutput.write(json: ["path": path]) }
            // A script needs the path as it is; a terminal must not interpret it.
            try StandardOutput.write(raw: (StandardOutput.isTerminal ? path.printable : path) + "\n")
        }
    }

    /// `tintype cache stats`: prints the number and size of the entries.
    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats", abstract: "Print the number and size of the entries.")

        @OptionGroup var options: Options

        private struct Record: Encodable {
            let path: String
            let count: Int
            let bytes: Int
            let limitBytes: Int
            let limitSeconds: Double?
            let thumbnails: Int
            let thumbnailBytes: Int
        }

        func run() async throws {
            let cache = options.location.diskCache
            let usage = try await cache.usage()
            let pixels = try await ThumbnailCache(beside: cache).disk.usage()
            let record = Record(
                path: cache.directory.path(percentEncoded: false), count: usage.count, bytes: usage.byteCount,
                limitBytes: cache.limits.byteCount, limitSeconds: cache.limits.age?.inSeconds,
                thumbnails: pixels.count, thumbnailBytes: pixels.byteCount)
            if options.json { return try StandardOutput.write(json: record) }
            try StandardOutput.write(record.path)
            try StandardOutput.write("  entries  \(record.count)")
            try StandardOutput.write(
                "  size     \(HumanFormat.bytes(record.bytes)) of \(HumanFormat.bytes(record.limitBytes))")
            guard record.thumbnails > 0 else { return }
            try StandardOutput.write("  pixels   \(record.thumbnails), \(HumanFormat.bytes(record.thumbnailBytes))")
        }
    }

    /// `tintype cache list`: lists the entries.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the entries, the most recently used first.")

        @OptionGroup var options: Options

        private struct Record: Encodable {
            let url: String
            /// Distinguishes the bytes from others of the URL, such as digests of header fields; `nil` for a plain
            /// request.
            let variant: String?
            let rendition: String?
            let format: String?
            let bytes: Int
            let created: Date
            let accessed: Date
            let path: String
        }

        func run() async throws {
            let json = options.json
            let failure = Locked<TintypeError?>(nil)
            try await options.location.diskCache.forEachEntry { entry in
                guard failure.withLock({ $0 }) == nil else { return }
                do throws(TintypeError) { try Self.write(entry, json) } catch { failure.withLock { $0 = error } }
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
        }

        private static func write(_ entry: DiskEntryFacts, _ json: Bool) throws(TintypeError) {
            let source = SourceIdentity(entry.key.source)
            let record = Record(
                url: source.url, variant: source.variant.isEmpty ? nil : source.variant.joined(separator: ", "),
                rendition: entry.key.isOriginal ? nil : entry.key.rendition,
                format: entry.format?.rawValue, bytes: entry.byteCount, created: entry.created,
                accessed: entry.accessed, path: entry.path)
            if json { return try StandardOutput.write(json: record) }
            let size = HumanFormat.bytes(record.bytes)
            let space = String(repeating: " ", count: max(1, 9 - size.count))
            let variant = record.variant.map { " (\($0))" } ?? ""
            let rendition = record.rendition.map { " → \($0)" } ?? ""
            try StandardOutput.write("\(space)\(size)  \(record.format ?? "?")  \(source.url)\(variant)\(rendition)")
        }
    }

    /// `tintype cache verify`: checks every entry.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Read every entry, and remove the damaged ones.",
            discussion: "The exit status is 1 if an entry was damaged.")

        @OptionGroup var options: Options

        private struct Record: Encodable {
            let count: Int
            let bytes: Int
            let damaged: [String]
            let unremovable: [String]
        }

        func run() async throws {
            var result = DiskVerification()
            for cache in options.location.all { result += try await cache.verify() }
            if options.json {
                try StandardOutput.write(
                    json: Record(
                        count: result.sound.count, bytes: result.sound.byteCount, damaged: result.damaged,
                        unremovable: result.unremovable))
            } else {
                try StandardOutput.write(
                    "\(HumanFormat.count(result.sound.count, "entry", "entries")) intact, "
                        + "\(result.damaged.count - result.unremovable.count) damaged and removed")
                for path in result.damaged where !result.unremovable.contains(path) {
                    try StandardOutput.write("  \(path)")
                }
                for path in result.unremovable { try StandardOutput.write("  \(path): damaged, cannot be removed") }
            }
            if !result.damaged.isEmpty { throw ExitCode.failure }
        }
    }
}

extension DiskVerification {
    static func += (sum: inout DiskVerification, other: DiskVerification) {
        sum.sound += other.sound
        sum.damaged += other.damaged
        sum.unremovable += other.unremovable
    }
}
