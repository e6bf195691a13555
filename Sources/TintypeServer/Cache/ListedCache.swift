import TintypeCore
import TintypeDisk

/// A cache that finds its entries by the beginnings of their sources.
protocol ListedCache: DataCaching {
    /// Removes the entries whose sources begin with a text. Takes a time that grows with the number of all entries.
    func removeEntries(sourcesFrom prefix: String) async
}

extension DataCaching {
    /// Removes at least the entries whose sources begin with a text. A cache that cannot list its entries loses all.
    func removeAtLeast(sourcesFrom prefix: String) async {
        guard let cache = self as? any ListedCache else {
            try? await removeAll()
            return
        }
        await cache.removeEntries(sourcesFrom: prefix)
    }
}

extension DiskCache: ListedCache {
    func removeEntries(sourcesFrom prefix: String) async {
        let keys = Locked<[CacheKey]>([])
        // What is stored at this moment is listed only after it is written. An error may be that of another entry.
        try? await flush()
        do {
            try await forEachEntry { facts in
                if facts.key.source.utf8.starts(with: prefix.utf8) { keys.withLock { $0.append(facts.key) } }
            }
            for key in keys.withLock({ $0 }) { try await remove(key) }
        } catch {
            _ = try? await clear()
        }
    }
}

extension CountedCache: ListedCache {
    func removeEntries(sourcesFrom prefix: String) async { await cache.removeAtLeast(sourcesFrom: prefix) }
}
