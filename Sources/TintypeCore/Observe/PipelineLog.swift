import Logging

/// Writes what a pipeline does to its log: each load that ends at `debug`, each stage at `trace`.
///
/// What could not be done without failing a request is a `warning`, and is logged where it happens.
struct PipelineLog: PipelineObserver {
    let logger: Logger

    func observe(_ event: PipelineEvent) {
        switch event {
        case .loadEnded(_, let request, .success(let response), let time):
            logger.debug("loaded from \(response.origin.rawValue) in \(time): \(request.key)")
        case .loadEnded(_, let request, .failure(let error), let time):
            logger.debug("failed after \(time): \(request.key): \(error)")
        case .stageEnded(let run, let outcome):
            let end = outcome.error.map { ", failed: \($0)" } ?? outcome.byteCount.map { ", \($0) bytes" } ?? ""
            logger.trace("\(run.stage.rawValue) in \(outcome.duration)\(end): \(run.key)")
        case .lookedUp, .loadBegan, .stageBegan, .answered, .evicted: break
        }
    }
}
