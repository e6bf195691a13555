import ArgumentParser
import Tintype

extension Cache {
    /// `tintype cache remove`: removes everything that is cached for some URLs.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the original bytes of URLs, and every image made from them.")

        @Argument(help: ArgumentHelp("URLs.", valueName: "url"))
        var urls: [SourceArgument]

        @OptionGroup var options: Options

        func run() async throws {
            let sources = Set(try urls.map { ImageRequest(source: try $0.source()).key.source })
            var removed = DiskUsage()
            for cache in options.location.all { removed += try await remove(sources, from: cache) }
            try options.report(removed: removed)
        }

        /// Removes the entries of some sources in O(n): only an entry's header says which source it was made from.
        private func remove(_ sources: Set<String>, from cache: DiskCache) async throws -> DiskUsage {
            let before = try await cache.usage()
            let keys = Locked<[CacheKey]>([])
            try await cache.forEachEntry { entry in
                if sources.contains(VariantName.original(of: entry.key.source)) {
                    keys.withLock { $0.append(entry.key) }
                }
            }
            for key in keys.withLock({ $0 }) { try await cache.remove(key) }
            let after = try await cache.usage()
            return DiskUsage(count: before.count - after.count, byteCount: before.byteCount - after.byteCount)
        }
    }

    /// `tintype cache clear`: removes every entry and every interrupted transfer.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
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
            abstract: "Remove the least recently used entries until the cache fits a size.")

        @Option(
            help: ArgumentHelp(
                "Keep at most this many bytes, such as 500MB. (default: the limit of the cache)", valueName: "size"),
            transform: ByteCount.parsing(expecting: ByteCount.expectation))
        var to: ByteCount?

        @OptionGroup var options: Options

        func run() async throws {
            let cache = options.location.diskCache
            try options.report(removed: try await cache.trim(to: to?.bytes ?? cache.limits.byteCount))
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
