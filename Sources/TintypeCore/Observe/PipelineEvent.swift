/// What happens in a pipeline, as it happens.
public enum PipelineEvent: Sendable {
    /// A tier of the cache was asked for a picture, or for original bytes.
    case lookedUp(CacheKey, in: CacheTiers, found: Bool)
    /// Memory could not answer, and a load began: one for each who asked, however much of the work is shared.
    case loadBegan(id: Int, ImageRequest)
    /// A load ended, after this time.
    case loadEnded(id: Int, ImageRequest, Result<ImageResponse, TintypeError>, Duration)
    /// A stage of the work began. Shared work has each stage once.
    case stageBegan(StageRun)
    /// The other side has answered, and said how many bytes will come, if it knows.
    case answered(StageRun, expected: Int?)
    case stageEnded(StageRun, StageOutcome)
    /// So many pictures fell out of memory to make room.
    case evicted(Int)
}

/// One run of one stage.
public struct StageRun: Hashable, Sendable {
    /// Unlike that of any other run in the process.
    public let id: Int
    /// Where on the way of a request it was.
    public let stage: TintypeError.Stage
    /// What is worked on: of original bytes, the original's key.
    public let key: CacheKey
    /// In ``TimeSource/uptime``.
    public let began: Duration
}

/// How a run of a stage ended.
public struct StageOutcome: Sendable {
    /// How long the stage took.
    public let duration: Duration
    /// `nil` when it did its work.
    public let error: TintypeError?
    /// Encoded bytes that it got or made, where that means something.
    public let byteCount: Int?
}
