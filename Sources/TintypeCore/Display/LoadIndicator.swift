/// Shows that a picture is being loaded: a spinner, or a bar.
@MainActor public protocol LoadIndicator: AnyObject {
    func start()
    /// Called between ``start()`` and ``stop()`` whenever more has arrived.
    func update(_ progress: LoadProgress)
    func stop()
}
