import CTintypeGTK

/// One of the images of an ``ImageView``.
public struct ImageSlot: Hashable, Sendable {
    /// The part of the view that the image is drawn in.
    public enum Layer: Hashable, Sendable, CaseIterable {
        /// Behind the image.
        case background
        /// In front of the background.
        case image
    }

    /// The state of the view, or of the button or list row that contains it.
    public enum State: Hashable, Sendable, CaseIterable {
        /// None of the others. Its image is also shown in a state that has no image.
        case normal
        /// Under the pointer, or pressed.
        case highlighted
        /// Selected or checked.
        case selected
        /// Insensitive.
        case disabled
    }

    /// The part of the view.
    package var layer: Layer
    /// The state in which the image is shown.
    package var state: State

    /// Creates the slot of a layer in a state.
    public init(_ layer: Layer, state: State = .normal) {
        (self.layer, self.state) = (layer, state)
    }

    /// The image of the view.
    public static let image = ImageSlot(.image)
    /// The image behind it.
    public static let background = ImageSlot(.background)
    /// The image while the view is highlighted.
    public static let highlighted = ImageSlot(.image, state: .highlighted)
}

extension ImageSlot.State {
    init(_ state: TintypeState) {
        switch state {
        case .TINTYPE_STATE_NORMAL: self = .normal
        case .TINTYPE_STATE_HIGHLIGHTED: self = .highlighted
        case .TINTYPE_STATE_SELECTED: self = .selected
        case .TINTYPE_STATE_DISABLED: self = .disabled
        }
    }
}
