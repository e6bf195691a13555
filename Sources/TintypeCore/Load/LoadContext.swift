/// What a loader is given beside the source: where its bytes go, and how urgent they are.
public struct LoadContext: Sendable {
    /// Where the bytes go as they arrive: progress, previews and the byte limit hang on it.
    public let received: ReceivedBytes
    package let job: JobContext

    package init(received: ReceivedBytes, job: JobContext) {
        self.received = received
        self.job = job
    }

    /// The highest priority of those who wait, now.
    public var priority: ImagePriority { job.priority }
}
