// MARK: - For toolkits

extension ImagePipeline {
    /// Loads a picture and calls back on the main actor: progress and previews while it loads, and ``ImageEvent/finished(_:)``
    /// exactly once, last.
    ///
    /// A picture in memory is called back with before this returns, so that a view shows it without a flash; there is
    /// no task then. After ``ImageTask/cancel()`` nothing comes but the end, with ``TintypeError/Code/cancelled``.
    @MainActor @discardableResult
    public func load(
        _ request: ImageRequest, _ receive: @escaping @MainActor @Sendable (ImageEvent) -> Void
    ) -> ImageTask? {
        let task = start(request)
        if case .finished(let response) = task.status {
            receive(.finished(.success(response)))
            return nil
        }
        let events = task.events
        Task { @MainActor in
            for await event in events where !event.isStale(task) { receive(event) }
        }
        return task
    }
}

extension ImageEvent {
    /// Whether it was overtaken by the end of the load while it waited for the main actor.
    fileprivate func isStale(_ task: ImageTask) -> Bool {
        switch (self, task.status) {
        case (.finished, _), (_, .running): false
        case (_, .finished), (_, .failed): true
        }
    }
}
