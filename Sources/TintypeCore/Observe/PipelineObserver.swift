import Logging

/// Observes what happens in a pipeline, for logs, metrics and traces. An observer cannot change anything.
public protocol PipelineObserver: Sendable {
    /// Receives an event.
    ///
    /// Called on the thread on which the event happens; for a memory hit, that is the caller's thread. The
    /// implementation must be fast and must not block.
    func observe(_ event: PipelineEvent)
}

/// Something that happened in a pipeline.
public enum PipelineEvent: Sendable {
    /// A tier of the cache was searched for an image or for original bytes.
    case lookedUp(CacheKey, in: CacheTiers, found: Bool)
    /// The image was not in memory and a load began. Each request has a load of its own, even if the work is shared.
    case loadBegan(id: Int, ImageRequest)
    /// A load ended, after this duration.
    case loadEnded(id: Int, ImageRequest, Result<ImageResponse, TintypeError>, Duration)
    /// A stage began. Each stage of shared work runs once.
    case stageBegan(StageRun)
    /// The source of a stage responded, with the expected number of bytes if it is known.
    case responseBegan(StageRun, expected: Int?)
    /// A stage ended.
    case stageEnded(StageRun, StageOutcome)
    /// This number of images was evicted from the memory cache to make room.
    case evicted(Int)
}

/// One run of one stage.
public struct StageRun: Hashable, Sendable {
    /// An identifier that is unique in the process.
    public let id: Int
    /// The stage of the request's path.
    public let stage: TintypeError.Stage
    /// The key of the image; for original bytes, the key of the original.
    public let key: CacheKey
    /// The start time, as `TimeSource.uptime`.
    package let began: Duration
}

/// The result of one run of a stage.
public struct StageOutcome: Sendable {
    /// The duration of the stage.
    public let duration: Duration
    /// The error that ended the stage; `nil` if it succeeded.
    public let error: TintypeError?
    /// The number of encoded bytes that the stage read or produced; `nil` for stages without encoded bytes.
    public let byteCount: Int?
}

// MARK: - Log

/// Logs what a pipeline does: each finished load at level `debug`, each stage at `trace`.
///
/// Failures that do not fail a request are logged as `warning` where they happen.
struct PipelineLog: PipelineObserver {
    let logger: Logger

    func observe(_ event: PipelineEvent) {
        switch event {
        case .loadEnded(_, let request, .success(let response), let time):
            logger.debug("loaded from \(response.origin.rawValue) in \(time): \(request.key.logText)")
        case .loadEnded(_, let request, .failure(let error), let time):
            logger.debug("failed after \(time): \(request.key.logText): \(error)")
        case .stageEnded(let run, let outcome):
            let end = outcome.error.map { ", failed: \($0)" } ?? outcome.byteCount.map { ", \($0) bytes" } ?? ""
            logger.trace("\(run.stage.rawValue) in \(outcome.duration)\(end): \(run.key.logText)")
        case .lookedUp, .loadBegan, .stageBegan, .responseBegan, .evicted: break
        }
    }
}
