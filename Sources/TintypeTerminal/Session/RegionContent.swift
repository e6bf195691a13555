package import TintypeCore
package import TintypeViews

/// The content of a region of the terminal.
package enum RegionContent: Sendable {
    /// Nothing.
    case nothing
    /// Pixels, which are resampled to the size of their layout if they have another one.
    case image(PixelBuffer, CellLayout)
    /// A moment of a transition from one image to another.
    case transition(TransitionImage?, TransitionImage?, TransitionFrame)
    /// Lines of text, centred, without control characters.
    case text([String])
}

/// A frame for one region.
package struct RegionFrame: Sendable {
    /// The position and size of the region. Parts beyond the edges of the screen are not drawn.
    package var rect: CellRect
    /// The content of the rectangle.
    package var content: RegionContent

    /// Creates a frame.
    package init(_ content: RegionContent, in rect: CellRect) {
        self.rect = rect
        self.content = content
    }
}
