/// A place that shows a picture: what any toolkit's view implements.
@MainActor public protocol ImageDisplay: AnyObject {
    /// Shows a picture instead of what was shown before.
    func show(_ image: Image)

    /// Shows a picture with a transition from what was shown before, and says when that is over.
    ///
    /// A display that knows no transitions need not have this.
    func show(_ image: Image, with transition: ImageTransition, whenDone: @escaping @MainActor @Sendable () -> Void)

    /// Shows no picture.
    func showNothing()

    /// Pixels a point.
    var scale: Double { get }

    /// The size in pixels that a picture will be shown at; `nil` while that is unknown.
    var wantedSize: PixelSize? { get }
}

extension ImageDisplay {
    public func show(
        _ image: Image, with transition: ImageTransition, whenDone: @escaping @MainActor @Sendable () -> Void
    ) {
        show(image)
        whenDone()
    }

    public var scale: Double { 1 }
    public var wantedSize: PixelSize? { nil }
}
