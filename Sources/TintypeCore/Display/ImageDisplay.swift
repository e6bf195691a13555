/// Shows one image at a time. The view of any toolkit can implement it.
@MainActor public protocol ImageDisplay: AnyObject {
    /// Shows an image, replacing what was shown before.
    func show(_ image: Image)

    /// Shows an image with a transition from what was shown before, and calls `whenDone` when the transition is over.
    ///
    /// Displays without transitions need not implement this method.
    func show(_ image: Image, with transition: ImageTransition, whenDone: @escaping @MainActor @Sendable () -> Void)

    /// Removes the image that is shown.
    func showNothing()

    /// The number of pixels per point.
    var scale: Double { get }

    /// The size in pixels at which an image will be shown; `nil` while it is unknown.
    var wantedSize: PixelSize? { get }
}

extension ImageDisplay {
    /// Shows the image without a transition, and calls `whenDone` at once.
    public func show(
        _ image: Image, with transition: ImageTransition, whenDone: @escaping @MainActor @Sendable () -> Void
    ) {
        show(image)
        whenDone()
    }

    /// The default scale, 1.
    public var scale: Double { 1 }
    /// The default, `nil`: the size is unknown.
    public var wantedSize: PixelSize? { nil }
}

/// An indicator of a running load, for example a spinner or a progress bar.
@MainActor public protocol LoadIndicator: AnyObject {
    /// Called when a load begins.
    func start()
    /// Called between ``start()`` and ``stop()`` whenever more bytes have arrived.
    func update(_ progress: LoadProgress)
    /// Called when no load is running any longer.
    func stop()
}
