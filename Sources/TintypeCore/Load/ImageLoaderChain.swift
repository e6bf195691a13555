public import Foundation

/// Several loaders under one: the last added that takes a source loads it.
public struct ImageLoaderChain: ImageLoader {
    /// The last one is asked first.
    public var loaders: [any ImageLoader]

    public init(_ loaders: [any ImageLoader]) {
        self.loaders = loaders
    }

    public func canLoad(_ source: ImageSource) -> Bool {
        loader(for: source) != nil
    }

    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard let loader = loader(for: source) else {
            throw TintypeError(
                .invalidSource, stage: .load, "no loader takes such a source", subject: source.displayName)
        }
        return try await loader.load(source, context)
    }

    public func verdict(
        on stored: CacheEntry, for source: ImageSource, _ extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        loader(for: source)?.verdict(on: stored, for: source, extras, at: now) ?? .fresh
    }

    private func loader(for source: ImageSource) -> (any ImageLoader)? {
        loaders.last { $0.canLoad(source) }
    }
}
