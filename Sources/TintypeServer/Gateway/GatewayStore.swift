import Foundation
import TintypeCore
import TintypeHTTP

/// How often the responses of URLs were removed. Some URLs share a number.
private final class Removals: Sendable {
    private let counts = Locked([Int](repeating: 0, count: 64))

    func count(of url: URL) -> Int { counts.withLock { $0[Self.place(of: url)] } }

    func add(_ urls: [URL]) { counts.withLock { counts in for url in urls { counts[Self.place(of: url)] += 1 } } }

    func addToAll() { counts.withLock { counts in for place in counts.indices { counts[place] += 1 } } }

    private static func place(of url: URL) -> Int { Int(UInt(bitPattern: url.hashValue) % 64) }
}

/// The stored responses of a ``Gateway``, by URL and variant.
struct GatewayStore: Sendable {
    private let cache: any DataCaching
    private let removals = Removals()

    init(_ cache: any DataCaching) {
        self.cache = cache
    }

    /// A stored response, and the name under which a newer one is stored.
    struct Finding: Sendable {
        /// The entry; `nil` if there is none for the request.
        var entry: StoredEntry?
        /// The name of the variant that the request selects; `nil` for that of the original.
        var variant: VariantName?
        /// What others wait for, as long as this request may store a response.
        var turn: GatewayTurns.Turn?
        /// The mark of the URL when the request began. `nil` for a request whose response is not stored.
        var removals: Int?
    }

    /// A stored response, and how it may be used.
    struct StoredEntry: Sendable {
        let entry: CacheEntry
        let response: StoredResponse
        let verdict: StoredVerdict
    }

    /// Returns what is stored for a request.
    func find(_ request: DownloadRequest, at now: Date) async -> Finding {
        let removals = removals.count(of: request.url)
        var found = await lookUp(request, at: now)
        found.removals = removals
        return found
    }

    private func lookUp(_ request: DownloadRequest, at now: Date) async -> Finding {
        guard let first = await entry(for: request.url, nil) else { return Finding() }
        var judged = request
        // A response to GET also answers HEAD (RFC 9110, 9.3.2).
        if judged.method == "HEAD" { judged.method = "GET" }
        let (judge, key) = (ResponseJudge(request: judged, isShared: true), Self.key(request.url, nil))
        switch judge.judge(first, for: key, at: now) {
        case .selected(let verdict): return Finding(entry: Self.stored(first, verdict))
        case .otherVariant(let number):
            let variant = VariantName(number)
            guard let other = await entry(for: request.url, variant),
                case .selected(let verdict) = judge.judge(other, for: key, at: now)
            else { return Finding(variant: variant) }
            return Finding(entry: Self.stored(other, verdict), variant: variant)
        }
    }

    /// Stores the response to a request, unless those of its URL were removed since it began.
    func store(_ entry: CacheEntry, for url: URL, _ variant: VariantName?, after removals: Int?) {
        guard removals == self.removals.count(of: url) else { return }
        cache.store(entry, for: Self.key(url, variant))
    }

    /// Removes the responses of URLs, in all variants.
    func remove(_ urls: [URL]) async {
        removals.add(urls)
        let keys = urls.flatMap { url in
            [Self.key(url, nil)] + (0..<VariantName.count).map { Self.key(url, VariantName($0)) }
        }
        _ = try? await WorkQueue.disk.run(for: JobContext(priority: .normal)) { [cache] in
            for key in keys { cache.remove(key) }
        }
    }

    /// Removes the responses of all URLs that begin with a text.
    func remove(urlsFrom prefix: String) async {
        removals.addToAll()
        await cache.removeAtLeast(sourcesFrom: "gateway:\(prefix)")
    }

    /// Waits until everything stored so far is written.
    func flush() async throws(TintypeError) { try await cache.flush() }

    /// A response whose metadata cannot be read is none.
    private static func stored(_ entry: CacheEntry, _ verdict: StoredVerdict) -> StoredEntry? {
        StoredResponse(decoding: entry.metadata).map { StoredEntry(entry: entry, response: $0, verdict: verdict) }
    }

    private func entry(for url: URL, _ variant: VariantName?) async -> CacheEntry? {
        let key = Self.key(url, variant)
        let local = try? await WorkQueue.disk.run(for: JobContext(priority: .high)) { [cache] in
            cache.entryOnThisMachine(for: key)
        }
        if let entry = local ?? nil { return entry }
        return await cache.remote?.remoteEntry(for: key)
    }

    private static func key(_ url: URL, _ variant: VariantName?) -> CacheKey {
        let source = "gateway:\(url.absoluteString)"
        return CacheKey(source: variant?.identity(of: source) ?? source)
    }
}
