public import TintypeCore

/// The content of a display: an image and its role.
public enum ImageContent: Sendable {
    /// Nothing.
    case nothing
    /// An image that stands in for another one.
    case placeholder(Image)
    /// An image that is delivered before the requested one: the part that has arrived, the cached version while it is
    /// revalidated, an image with fewer pixels, or the one of `ImageRequest.placeholderKey`.
    case preview(Image)
    /// The requested image.
    case image(Image)
    /// The load failed with this error. The image is the preview of the requested image, if one is shown; otherwise
    /// ``Presentation/failureImage`` or, without one, the image that was shown before. An image that is already shown
    /// is the very same object, so that its animation continues. `nil` if nothing was shown.
    case failure(TintypeError, Image?)

    /// The role of the image.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Nothing is shown.
        case nothing
        /// An image that stands in for another one.
        case placeholder
        /// An image that is delivered before the requested one: see ``ImageContent/preview(_:)``.
        case preview
        /// The requested image.
        case image
        /// A failure of the load, with or without an image.
        case failure
    }

    /// The role of the image.
    package var kind: Kind {
        switch self {
        case .nothing: .nothing
        case .placeholder: .placeholder
        case .preview: .preview
        case .image: .image
        case .failure: .failure
        }
    }

    /// The image to draw; `nil` if there is none.
    public var image: Image? {
        switch self {
        case .nothing: nil
        case .placeholder(let image), .preview(let image), .image(let image): image
        case .failure(_, let image): image
        }
    }

    /// The error of the load, if it failed.
    public var error: TintypeError? {
        if case .failure(let error, _) = self { error } else { nil }
    }
}
