import ArgumentParser
import Tintype

extension Cache {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove what is kept of some URLs: the original bytes, and every picture made of them.")

        @Argument(help: "URLs.")
        var urls: [SourceArgument]

        @OptionGroup var options: Options

        func run() async throws {
            let sources = Set(try urls.map { ImageRequest(source: try $0.source()).key.source })
            var removed = DiskUsage()
            for cache in options.location.all { removed += try await remove(sources, from: cache) }
            options.tell(removed: removed)
        }

        /// Goes through all entries, since only their heads say what they were made of.
        private func remove(_ sources: Set<String>, from cache: DiskCache) async throws -> DiskUsage {
            let before = try await cache.usage()
            let keys = Locked<[CacheKey]>([])
            try await cache.forEachEntry { entry in
                if sources.contains(entry.key.source) { keys.withLock { $0.append(entry.key) } }
            }
            for key in keys.withLock({ $0 }) { try await cache.remove(key) }
            let after = try await cache.usage()
            return DiskUsage(count: before.count - after.count, byteCount: before.byteCount - after.byteCount)
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove everything.")

        @OptionGroup var options: Options

        func run() async throws {
            var removed = DiskUsage()
            for cache in options.location.all { removed += try await cache.clear() }
            options.tell(removed: removed)
        }
    }

    struct Trim: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove what was not used for longest, down to a size.")

        @Option(
            help: ArgumentHelp("Bytes to keep, such as 500MB; the cache's own limit if not given.", valueName: "size"))
        var to: ByteCount?

        @OptionGroup var options: Options

        func run() async throws {
            let cache = options.location.diskCache
            options.tell(removed: try await cache.trim(to: to?.bytes ?? cache.limits.byteCount))
        }
    }
}

extension Cache.Options {
    private struct Removed: Encodable {
        let removed: Int
        let bytes: Int
    }

    func tell(removed usage: DiskUsage) {
        if json { return StandardOutput.write(json: Removed(removed: usage.count, bytes: usage.byteCount)) }
        StandardOutput.write(
            "removed \(HumanFormat.count(usage.count, "entry", "entries")), \(HumanFormat.bytes(usage.byteCount))")
    }
}

extension DiskUsage {
    static func += (sum: inout DiskUsage, other: DiskUsage) {
        sum.count += other.count
        sum.byteCount += other.byteCount
    }
}
