import CTintypeGTK
public import Foundation
public import TintypeCore
public import TintypeViews

/// A `GdkPaintable` that shows the image at a URL, for `GtkPicture`, `GtkImage`, buttons, list rows and drag icons.
///
/// ```swift
/// let cover = ImagePaintable(pipeline: .shared)
/// cover.load(url)
/// gtk_picture_set_paintable(picture, cover.pointer)
/// ```
///
/// The load belongs to the paintable: it continues when this object is gone, and ends when the last widget drops the
/// paintable. A load begins when the paintable is first drawn; an image in memory is shown at once. Images are decoded
/// to the size that is drawn. Use ``follow(_:)`` for a widget that can be scrolled out of sight, or on a display of
/// high density.
@MainActor public final class ImagePaintable {
    let display: PaintableDisplay
    /// How requests without a presentation of their own are shown.
    public var presentation = Presentation.inView

    /// Creates a paintable that shows nothing. GTK must have been initialized.
    public init(pipeline: ImagePipeline) {
        let paintable = tintype_paintable_new()
        display = PaintableDisplay(paintable: paintable, pipeline: pipeline)
    }

    // Later, because Swift may release this object between reading the pointer and passing it to GTK.
    isolated deinit {
        tintype_object_drop_later(UnsafeMutableRawPointer(pointer))
    }

    /// The `GdkPaintable`, which lives at least until control returns to the main loop after this object is gone.
    public var pointer: OpaquePointer { display.paintable }

    /// The load: its state, progress, indicator, and retries.
    public var binding: ImageBinding { display.binding }

    /// How the image fills the area that it is drawn in; ``ContentFit/contain`` by default.
    public var contentFit = ContentFit.contain {
        didSet { display.set(contentFit) }
    }

    /// Whether animated images play and changes are animated.
    public var motion: MotionPolicy {
        get { display.motion }
        set { display.motion = newValue }
    }

    /// Loads and shows the image at a URL.
    public func load(_ url: URL) {
        load(ImageRequest(url: url))
    }

    /// Loads and shows an image.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - presentation: The presentation of the load; by default ``presentation``.
    ///   - receive: Receives the events of the load, and its end exactly once.
    public func load(
        _ request: ImageRequest, presentation: Presentation? = nil, receive: ImageBinding.Receiver? = nil
    ) {
        display.load(request, presentation: presentation ?? self.presentation, receive: receive)
    }

    /// Cancels the load and removes the image.
    public func clear() {
        display.clear(presentation: Presentation())
    }

    /// Follows the widget that draws the paintable: its visibility, its number of pixels per point, and its frame
    /// clock.
    ///
    /// - Parameter widget: A `GtkWidget`, which is not retained.
    public func follow(_ widget: OpaquePointer) {
        display.watch = WidgetWatch(widget)
    }
}

extension Presentation {
    /// The presentation of views: the image is decoded to the size of the view, and its load begins when the view is
    /// first drawn where it can be seen.
    static var inView: Presentation {
        var presentation = Presentation()
        presentation.sizing = .fitsDisplay
        presentation.start = .deferred
        return presentation
    }
}

/// How an image fills an area of another shape.
public enum ContentFit: Hashable, Sendable, CaseIterable {
    /// Stretches the image to the whole area, regardless of its aspect ratio.
    case fill
    /// Scales the image to the largest size at which all of it fits in the area.
    case contain
    /// Scales the image to the smallest size that covers the whole area; the rest of the image is cut off.
    case cover
    /// As ``contain``, but never enlarged.
    case scaleDown
}

extension PaintableDisplay {
    func set(_ fit: ContentFit) {
        let former = self.fit
        // An image that fills the area has as many pixels on each side as one that covers it: one side is only
        // compressed.
        self.fit = fit == .cover || fit == .fill ? .cover : .contain
        tintype_paintable_set_fit(paintable, TintypeFit(fit))
        // An image that covers the area has more pixels than one inside it.
        if self.fit != former, binding.content.kind == .image { refitSoon() }
    }
}

extension TintypeFit {
    fileprivate init(_ fit: ContentFit) {
        switch fit {
        case .fill: self = .TINTYPE_FIT_FILL
        case .contain: self = .TINTYPE_FIT_CONTAIN
        case .cover: self = .TINTYPE_FIT_COVER
        case .scaleDown: self = .TINTYPE_FIT_SCALE_DOWN
        }
    }
}
