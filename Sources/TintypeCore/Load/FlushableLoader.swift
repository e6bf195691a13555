/// A loader that writes files in the background.
package protocol FlushableLoader: ImageLoader {
    /// Waits until what earlier loads have left is on disk.
    func flush() async
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
