/// Several loaders under one: the last added that takes a source loads it.
public struct ImageLoaderChain: ImageLoader {
    public var loaders: [any ImageLoader]

    public init(_ loaders: [any ImageLoader]) {
        self.loaders = loaders
    }

    public func canLoad(_ source: ImageSource) -> Bool {
        loaders.contains { $0.canLoad(source) }
    }

    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard let loader = loaders.last(where: { $0.canLoad(source) }) else {
            throw TintypeError(.invalidSource, stage: .load, "no loader takes such a source", subject: source.identity)
        }
        return try await loader.load(source, context)
    }
}
