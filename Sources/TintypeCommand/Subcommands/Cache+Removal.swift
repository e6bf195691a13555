import ArgumentParser
import Foundation
import Tintype

extension Cache {
    /// `tintype cache remove`: removes everything that is cached for some URLs.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove the original bytes of URLs, and every image made from them.",
            discussion: """
                Removes entries whatever header fields they were loaded with. If a URL contains a user name and \
                password, removes only what was loaded with these.
                """)

        @Argument(help: ArgumentHelp("The URLs to remove.", valueName: "url"))
        var urls: [SourceArgument]

        @OptionGroup var options: Options

        func run() async throws {
            let sources = try urls.map { SourceIdentity(ImageRequest(source: try $0.source()).key.source) }
            let sourcesOfURLs = Dictionary(grouping: sources, by: \.url)
            var removed = DiskUsage()
            for cache in options.location.all { removed += try await remove(sourcesOfURLs, from: cache) }
            try options.report(removed: removed)
        }

        /// Removes the entries of some sources in O(n): only an entry's header says which source it was made from.
        ///
        /// - Parameter sources: The sources by their URLs.
        /// - Returns: The number of these entries and the size of their files. Other processes may use the cache
        ///   meanwhile.
        private func remove(_ sources: [String: [SourceIdentity]], from cache: DiskCache) async throws -> DiskUsage {
            let entries = Locked<[DiskEntryFacts]>([])
            try await cache.forEachEntry { entry in
                let identity = SourceIdentity(entry.key.source)
                guard let named = sources[identity.url], named.contains(where: identity.matches) else { return }
                entries.withLock { $0.append(entry) }
            }
            var removed = DiskUsage()
            for entry in entries.withLock({ $0 }) {
                // An entry whose file another process has removed does not count.
                var facts = stat()
                guard stat(entry.path, &facts) == 0 else { continue }
                try await cache.remove(entry.key)
                removed += DiskUsage(count: 1, byteCount: DiskUsage.allocatedSize(Int(facts.st_size)))
            }
            return removed
        }
    }

    /// `tintype cache clear`: removes every entry and every interrupted transfer.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Remove every entry, and the bytes of interrupted transfers.")

        @OptionGroup var options: Options

        func run() async throws {
            var removed = DiskUsage()
            for cache in options.location.all { removed += try await cache.clear() }
            let partials = try await options.location.partials.removeAll()
            removed += DiskUsage(count: partials.count, byteCount: partials.byteCount)
            try options.report(removed: removed)
        }
    }

    /// `tintype cache trim`: evicts entries down to a size.
    struct Trim: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trim",
            abstract: "Remove the least recently used entries until the cache fits a size.",
            discussion: "Thumbnails stored as pixels get only the space that original and encoded images leave.")

        @Option(
            help: ArgumentHelp(
                "Keep at most this many bytes, such as 500MB. (default: the limits of the cache)", valueName: "size"),
            transform: ByteCount.parsing(expecting: ByteCount.expectation))
        var to: ByteCount?

        @OptionGroup var options: Options

        func run() async throws {
            let cache = options.location.diskCache
            let thumbnails = ThumbnailCache(beside: cache).disk
            var removed = try await cache.trim(to: to?.bytes ?? cache.limits.byteCount)
            let left = try await cache.usage().byteCount
            removed += try await thumbnails.trim(
                to: Self.thumbnailLimit(to?.bytes, left, thumbnails.limits.byteCount))
            try options.report(removed: removed)
        }

        /// Returns the number of bytes of thumbnails to keep.
        ///
        /// - Parameters:
        ///   - total: The number of bytes of the whole cache to keep; `nil` for its limits.
        ///   - used: The bytes of the other images.
        ///   - limit: The limit of thumbnails.
        static func thumbnailLimit(_ total: Int?, _ used: Int, _ limit: Int) -> Int {
            total.map { min(limit, max(0, $0 - used)) } ?? limit
        }
    }
}

extension Cache.Options {
    private struct Removed: Encodable {
        let removed: Int
        let bytes: Int
    }

    func report(removed usage: DiskUsage) throws(TintypeError) {
        if json { return try StandardOutput.write(json: Removed(removed: usage.count, bytes: usage.byteCount)) }
        try StandardOutput.write(
            "removed \(HumanFormat.count(usage.count, "entry", "entries")), \(HumanFormat.bytes(usage.byteCount))")
    }
}

extension DiskUsage {
    static func += (sum: inout DiskUsage, other: DiskUsage) {
        sum.count += other.count
        sum.byteCount += other.byteCount
    }
}
