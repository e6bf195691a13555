/// Watches what happens in a pipeline, and changes nothing: for logs, metrics and traces.
public protocol PipelineObserver: Sendable {
    /// Called on whatever thread it happens on, memory hits on the caller's: has to be quick, and may not block.
    func observe(_ event: PipelineEvent)
}
