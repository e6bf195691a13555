public import Foundation

/// Where bytes come from: HTTP, a file, a data URL, or anything of the program's own.
///
/// A pipeline has a list of loaders and asks the last added first; ``TintypeTesting`` has one for tests.
public protocol ImageLoader: Sendable {
    /// Whether this loader takes such sources. Must not touch a file or the network.
    func canLoad(_ source: ImageSource) -> Bool

    /// Loads all bytes, appending them to `context.received` as they arrive.
    ///
    /// Runs in a task of its own, which is cancelled when no one waits for the bytes any more. Returns only what
    /// arrived whole.
    @concurrent
    func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes

    /// Whether bytes that this loader got before may be used again, asked under ``LoadPolicy/Freshness/http``.
    ///
    /// Pure: depends on the arguments alone.
    ///
    /// - Parameter stored: what a cache kept, with the ``LoadedBytes/metadata`` of its load.
    func verdict(
        on stored: CacheEntry, for source: ImageSource, _ extras: RequestExtras, at now: Date
    ) -> StoredVerdict
}

extension ImageLoader {
    /// A loader that knows no freshness: what is kept is good.
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, _ extras: RequestExtras, at now: Date
    ) -> StoredVerdict { .fresh }
}
