public import TintypeCore

/// Shows one image at a time. The view of any toolkit can implement it.
///
/// An ``ImageBinding`` calls all methods, on the main actor. Only ``show(_:)`` is required.
@MainActor public protocol ImageDisplay: AnyObject {
    /// Shows content in place of what was shown before.
    func show(_ content: ImageContent)

    /// Shows the new content of a transition, and draws the frames that lead to it.
    ///
    /// The display keeps the transition and calls ``RunningTransition/frame(at:)`` from its frame clock, not while it
    /// draws, until ``RunningTransition/isOver``. By default, the new content is shown at once.
    func show(with transition: RunningTransition)

    /// Called when the size of the next image becomes known before its pixels; `nil` when a load begins and the size of
    /// its image is unknown. Called only if it differs from the last one. By default it does nothing.
    func expect(_ size: ExpectedSize?)

    /// The number of pixels per point.
    var scale: Double { get }

    /// The size in pixels at which an image will be shown; `nil` while it is unknown, for example before the first
    /// layout.
    ///
    /// A display whose size changes often rounds it up to a few steps, because each size is decoded separately.
    var wantedSize: PixelSize? { get }

    /// The dynamic range that the display can show; `DecodeOptions.DynamicRange.standard` by default.
    ///
    /// With `DecodeOptions.DynamicRange.high`, images are requested with their high range, and the display draws
    /// `Image.highRange` instead of `Image.pixels` where an image has it; see ``ContentPlayer/highRange``.
    var dynamicRange: DecodeOptions.DynamicRange { get }

    /// How an image is placed whose aspect ratio differs from that of ``wantedSize``; ``ImageFit/contain`` by default.
    var fit: ImageFit { get }
}

/// How a display places an image whose shape differs from its own.
public enum ImageFit: Hashable, Sendable {
    /// The whole image is shown, with empty space where the shapes differ.
    case contain
    /// The image covers the display, and its edges are cut off. A display that stretches images needs as many pixels.
    case cover
}

extension ImageFit {
    /// Returns the decode size of an image that is shown in a box.
    ///
    /// - Parameter box: The size of the box in pixels.
    func decodeSize(_ box: PixelSize) -> DecodeOptions.Size {
        self == .cover ? .cover(box) : .fit(box)
    }
}

extension ImageDisplay {
    /// Shows the new content without a transition.
    public func show(with transition: RunningTransition) {
        show(transition.new)
        transition.finish()
    }

    /// Does nothing: by default, the display does not reserve space.
    public func expect(_ size: ExpectedSize?) {}
    /// The default scale, 1.
    public var scale: Double { 1 }
    /// The default, sRGB with 8 bits per channel.
    public var dynamicRange: DecodeOptions.DynamicRange { .standard }
    /// The default, `nil`: the size is unknown.
    public var wantedSize: PixelSize? { nil }
    /// The default, ``ImageFit/contain``.
    public var fit: ImageFit { .contain }
}
