/// An indicator of a running load, for example a spinner or a progress bar.
@MainActor public protocol LoadIndicator: AnyObject {
    /// Called when a load begins.
    func start()
    /// Called between ``start()`` and ``stop()`` whenever more bytes have arrived, and with complete progress when the image
    /// is available.
    func update(_ progress: LoadProgress)
    /// Called when no load is running any longer.
    func stop()
}
