import CTintypeGTK
public import Foundation
public import TintypeCore
public import TintypeViews

/// A `GtkWidget` that shows the image at a URL.
///
/// ```swift
/// let view = ImageView(pipeline: .shared, accessibleName: "Cover of the book")
/// gtk_box_append(box, view.widget)
/// view.load(url)
/// ```
///
/// An image in memory is shown before ``load(_:in:)`` returns. Any other load begins when the view is drawn where the
/// user can see it, at the size of the view. A view without a size from its container or the program has the size of
/// its image.
///
/// The state of the view belongs to the widget: it stays when this object is gone, and ends with the widget.
///
/// The widget has the CSS name `imageview` and the class `loading`, `placeholder`, `preview`, `image` or `failure` that
/// applies. Its corners can be rounded by `border-radius`.
@MainActor public final class ImageView {
    /// The `GtkWidget`, which lives as long as its container, and at least until control returns to the main loop after
    /// this object is gone.
    public let widget: OpaquePointer
    private let core: ViewCore

    /// Creates a view. GTK must have been initialized.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline that loads the images.
    ///   - accessibleName: The text for assistive technologies; `nil` for an image that is only decoration.
    public init(pipeline: ImagePipeline, accessibleName: String? = nil) {
        widget = tintype_view_new()
        tintype_object_hold(UnsafeMutableRawPointer(widget))
        core = ViewCore(widget, pipeline: pipeline)
        if let accessibleName { self.accessibleName = accessibleName }
    }

    /// Returns the view behind a widget that an ``ImageView`` made; `nil` for any other widget.
    ///
    /// - Parameter widget: A `GtkWidget`.
    public init?(existing widget: OpaquePointer) {
        guard let owner = tintype_view_owner(widget) else { return nil }
        self.widget = widget
        core = Unmanaged<ViewCore>.fromOpaque(owner).takeUnretainedValue()
        tintype_object_hold(UnsafeMutableRawPointer(widget))
    }

    // Later, because Swift may release this object between reading the pointer and passing it to GTK.
    isolated deinit {
        tintype_object_drop_later(UnsafeMutableRawPointer(widget))
    }

    // MARK: Loads

    /// Loads and shows the image at a URL.
    public func load(_ url: URL, in slot: ImageSlot = .image) {
        load(ImageRequest(url: url), in: slot)
    }

    /// Loads and shows an image.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - slot: The slot to load the image into.
    ///   - presentation: The presentation of the load; by default ``presentation``.
    ///   - receive: Receives the events of the load, and its end exactly once.
    public func load(
        _ request: ImageRequest, in slot: ImageSlot = .image, presentation: Presentation? = nil,
        receive: ImageBinding.Receiver? = nil
    ) {
        core.load(request, in: slot, presentation: presentation ?? self.presentation, receive: receive)
    }

    /// Cancels the load of a slot and removes its image.
    public func clear(_ slot: ImageSlot = .image) {
        core.display(slot).clear(presentation: Presentation())
    }

    /// Cancels all loads and removes all images, unless another load comes first: for a row that is recycled.
    package func recycle() {
        core.recycle()
    }

    /// The load of a slot: its state, progress, and retries.
    public func binding(_ slot: ImageSlot = .image) -> ImageBinding { core.display(slot).binding }

    /// The `GdkPaintable` of a slot, for example for a drag icon. It lives as long as the widget.
    public func paintable(_ slot: ImageSlot = .image) -> OpaquePointer { core.display(slot).paintable }

    // MARK: Settings

    /// How requests without a presentation of their own are shown.
    public var presentation: Presentation {
        get { core.presentation }
        set { core.presentation = newValue }
    }

    /// How the images fill the view; ``ContentFit/contain`` by default.
    public var contentFit: ContentFit {
        get { core.contentFit }
        set { core.contentFit = newValue }
    }

    /// Whether animated images play and changes are animated.
    public var motion: MotionPolicy {
        get { core.motion }
        set { core.motion = newValue }
    }

    /// The indicator of a load that takes longer than 200 ms; ``ViewIndicator/none`` by default.
    public var indicator: ViewIndicator {
        get { core.indicator }
        set { core.indicator = newValue }
    }

    /// Whether a click or Enter on a view whose load has failed loads the image again; `true` by default.
    public var retriesOnActivation: Bool {
        get { core.retriesOnActivation }
        set { core.retriesOnActivation = newValue }
    }

    // MARK: Accessibility

    /// The text that assistive technologies read; `nil` for decoration. Set the first name before the view is shown.
    public var accessibleName: String? {
        get { core.accessibleName }
        set { core.accessibleName = newValue }
    }

    /// A longer description for assistive technologies.
    public var accessibleDescription: String? {
        get { core.accessibleDescription }
        set { core.accessibleDescription = newValue }
    }
}
