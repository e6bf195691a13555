public import Foundation

/// Loads the bytes of some kinds of sources, such as HTTP, files or data URLs. Programs can supply their own.
///
/// A pipeline has a list of loaders and asks the last one first. `TintypeTesting` contains a fake loader.
public protocol ImageLoader: Sendable {
    /// Returns whether this loader accepts a source. Must not access a file or the network.
    func canLoad(_ source: ImageSource) -> Bool

    /// Returns whether this loader accepts a request. By default it does if it accepts the source.
    ///
    /// A loader that decides by the settings of the request, such as its extras, implements this method in addition to
    /// ``canLoad(_:)-(ImageSource)``. All loaders of a source must return the same bytes, because loads and caches of
    /// equal sources are shared. Must not access a file or the network.
    func canLoad(_ request: ImageRequest) -> Bool

    /// Loads all bytes, and appends them to `context.received` while they arrive.
    ///
    /// Runs in a task of its own, which is cancelled when no caller waits for the bytes any more. Equal loads of one
    /// pipeline run once.
    ///
    /// - Returns: The complete bytes. If the bytes are incomplete, throw an error.
    /// - Throws: The reason why the bytes cannot be loaded; ``TintypeError/Code/cancelled`` if the task is cancelled.
    @concurrent
    func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes

    /// Returns whether a load or decode that failed would fail again in the same way, so that ``FailureMemory``
    /// remembers it. By default ``TintypeError/isLasting``. Not called if the program has set
    /// ``FailureMemory/Settings/shouldRemember``.
    func isLasting(_ error: TintypeError, of source: ImageSource) -> Bool

    /// Returns whether a cache entry that this loader has loaded may be used again. Called under
    /// ``LoadPolicy/Freshness/http``.
    ///
    /// Must be pure: the result depends only on the arguments.
    ///
    /// - Parameters:
    ///   - stored: The cache entry, with the `LoadedBytes.metadata` of its load.
    ///   - source: The source of the entry.
    ///   - extras: Those of the request that finds the entry.
    ///   - now: The current date.
    func verdict(
        on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
    ) -> StoredVerdict
}

extension ImageLoader {
    /// Returns whether this loader accepts the source of a request.
    public func canLoad(_ request: ImageRequest) -> Bool { canLoad(request.source) }

    /// Returns ``TintypeError/isLasting``.
    public func isLasting(_ error: TintypeError, of source: ImageSource) -> Bool { error.isLasting }

    /// Returns ``StoredVerdict/fresh``, for loaders without expiry rules.
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
    ) -> StoredVerdict { .fresh }
}

/// The context of a load: the destination of the bytes, the request's settings, and the priority.
public struct LoadContext: Sendable {
    /// The destination of the bytes as they arrive. It reports progress, feeds previews and enforces the byte limit.
    public let received: ReceivedBytes
    /// The request's settings for loaders.
    public let extras: RequestExtras
    /// The media types that the pipeline can decode, as the value of an `Accept` field (RFC 9110, 12.5.1); `nil` if it
    /// has no decoders.
    public let accept: String?
    /// The cache entry of this source, for a loader that can ask the origin whether the entry is still valid. Such a
    /// loader returns it as ``LoadedBytes/notModified(_:metadata:)``.
    public let stored: CacheEntry?
    /// The job that the load runs in.
    package let job: JobContext

    /// Creates the context of a load.
    ///
    /// - Parameters:
    ///   - received: The destination of the bytes.
    ///   - job: The job that the load runs in.
    ///   - extras: The request's settings for loaders.
    ///   - accept: The media types that the pipeline can decode.
    ///   - stored: The cache entry to revalidate.
    package init(
        received: ReceivedBytes, job: JobContext, extras: RequestExtras = RequestExtras(), accept: String? = nil,
        stored: CacheEntry? = nil
    ) {
        self.received = received
        self.job = job
        self.extras = extras
        self.accept = accept
        self.stored = stored
    }

    /// The highest priority of the callers that wait for these bytes. May change while the load runs.
    public var priority: ImagePriority { job.priority }
}

/// How a cache entry may be used (RFC 9111, 4).
public enum StoredVerdict: Hashable, Sendable {
    /// The entry may be used as it is.
    case fresh
    /// The entry may be used while it is revalidated in the background (RFC 5861, 3).
    case usableWhileRevalidating
    /// The entry must be revalidated first.
    ///
    /// - Parameter usableOnError: Whether it may be used if the origin cannot be reached, or fails (RFC 5861, 4).
    case stale(usableOnError: Bool)
    /// The entry must be revalidated first. It may be used if the origin cannot be reached (RFC 9111, 4.2.4).
    case usableWhenUnreachable
}

/// Several loaders used as one. The last loader that accepts a source loads it.
package struct ImageLoaderChain: ImageLoader {
    /// The loaders. The last one is asked first.
    let loaders: [any ImageLoader]

    /// Creates a chain. The last loader is asked first.
    package init(_ loaders: [any ImageLoader]) {
        self.loaders = loaders
    }

    /// Returns whether any of the loaders accepts the source.
    package func canLoad(_ source: ImageSource) -> Bool {
        loader(for: source) != nil
    }

    /// Returns whether any of the loaders accepts the request.
    package func canLoad(_ request: ImageRequest) -> Bool {
        loaders.contains { $0.canLoad(request) }
    }

    /// Loads a source with the last loader that accepts it.
    ///
    /// - Throws: ``TintypeError/Code/invalidSource`` if no loader accepts it, or the error of the loader.
    @concurrent
    package func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard let loader = loader(for: source) else {
            throw TintypeError(
                .invalidSource, stage: .load, "no loader accepts this source", subject: source.displayName)
        }
        return try await loader.load(source, context: context)
    }

    /// Returns the verdict of the loader that accepts the source, or ``StoredVerdict/fresh`` if there is none.
    package func verdict(
        on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        loader(for: source)?.verdict(on: stored, for: source, extras: extras, at: now) ?? .fresh
    }

    /// Returns the judgement of the loader that accepts the source, or ``TintypeError/isLasting`` if there is none.
    package func isLasting(_ error: TintypeError, of source: ImageSource) -> Bool {
        loader(for: source)?.isLasting(error, of: source) ?? error.isLasting
    }

    private func loader(for source: ImageSource) -> (any ImageLoader)? {
        loaders.last { $0.canLoad(source) }
    }

    /// The loader that accepts a request, in this chain or in one that it contains; `nil` if none does.
    func loader(for request: ImageRequest) -> (any ImageLoader)? {
        let loader = loaders.last { $0.canLoad(request) }
        return (loader as? ImageLoaderChain)?.loader(for: request) ?? loader
    }

    /// The loaders, in this chain and those in it, that restrict what their pipeline loads.
    var guards: [any GuardingLoader] {
        loaders.flatMap { loader in
            if let chain = loader as? ImageLoaderChain { return chain.guards }
            return (loader as? any GuardingLoader).map { [$0] } ?? []
        }
    }
}

/// A loader that writes files in the background.
package protocol FlushableLoader: ImageLoader {
    /// Waits until what earlier loads have left is on disk.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    func flush() async throws(TintypeError)
}

extension ImageLoaderChain {
    /// The loaders, in this chain and those in it, that write files in the background.
    var flushable: [any FlushableLoader] {
        loaders.flatMap { loader in
            if let chain = loader as? ImageLoaderChain { return chain.flushable }
            return (loader as? any FlushableLoader).map { [$0] } ?? []
        }
    }
}
