/// The content of a display: an image, and what it stands for.
public enum ImageContent: Sendable {
    /// Nothing.
    case nothing
    /// An image that stands in for another one.
    case placeholder(Image)
    /// A part of the requested image, or its cached version while that is revalidated.
    case preview(Image)
    /// The requested image.
    case image(Image)
    /// The load failed with this error. The image is ``Presentation/failureImage``; without one, it is the image that was
    /// shown before, the very same object, so that its animation may continue. `nil` if nothing was shown.
    case failure(TintypeError, Image?)

    /// The role of an image in a display.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Nothing is shown.
        case nothing
        /// An image that stands in for another one.
        case placeholder
        /// A part of the requested image, or an older version of it.
        case preview
        /// The requested image.
        case image
        /// The image that is shown after a load has failed.
        case failure
    }

    /// The role of the image.
    public var kind: Kind {
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
