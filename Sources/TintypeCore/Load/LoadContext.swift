/// What a loader is given beside the source: where its bytes go, and how urgent they are.
public struct LoadContext: Sendable {
    /// Where the bytes go as they arrive: progress, previews and the byte limit hang on it.
    public let received: ReceivedBytes
    /// The request's settings for loaders.
    public let extras: RequestExtras
    /// What a cache has of this source, for a loader that can ask its origin whether that is still good. One that finds
    /// it is returns it as ``LoadedBytes/stillGood(_:metadata:)``.
    public let stored: CacheEntry?
    package let job: JobContext

    package init(
        received: ReceivedBytes, job: JobContext, extras: RequestExtras = RequestExtras(), stored: CacheEntry? = nil
    ) {
        self.received = received
        self.job = job
        self.extras = extras
        self.stored = stored
    }

    /// The highest priority of those who wait, now.
    public var priority: ImagePriority { job.priority }
}
