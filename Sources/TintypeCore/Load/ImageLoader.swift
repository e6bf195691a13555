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
}
