package import Foundation

/// Decodes an image while it arrives: a still image or an animation, depending on its first bytes.
///
/// Used by one thread at a time. The lock makes it `Sendable` for the compiler and is never contended.
package final class IncrementalImage: IncrementalImageDecoder {
    /// The kind of image that the first bytes announce.
    package enum Kind: Sendable {
        /// More bytes are needed to tell.
        case unknown
        /// A still image, decoded by this reader.
        case still(any PreviewReader)
        /// An animation.
        case animation(IncrementalAnimation)
        /// An image that is shown only when it is complete.
        case hidden
    }

    private enum State: Sendable {
        /// The bytes so far, which do not determine the kind.
        case head(Data)
        case known(Kind)
    }

    private let kind: @Sendable (Data) throws(TintypeError) -> Kind
    private let state = Locked(State.head(Data()))

    /// Creates a decoder.
    ///
    /// - Parameter kind: Determines the kind of image. Called with all bytes so far until it returns a value other than
    ///   ``Kind/unknown``.
    package init(kind: @escaping @Sendable (Data) throws(TintypeError) -> Kind) {
        self.kind = kind
    }

    /// Whether the first bytes have announced an animation.
    package var isAnimation: Bool {
        state.withLock { state in
            if case .known(.animation) = state { true } else { false }
        }
    }

    /// Decodes the next bytes; returns an image if it shows more than the last one returned.
    package func append(_ bytes: Data) throws(TintypeError) -> Image? {
        let kind = kind
        return try state.withLock { state throws(TintypeError) in
            switch state {
            case .known(let known): return try known.append(bytes)
            case .head(let head):
                let all = head + bytes
                let known = try kind(all)
                if case .unknown = known { state = .head(all) } else { state = .known(known) }
                return try known.append(all)
            }
        }
    }
}

extension IncrementalImage.Kind {
    fileprivate func append(_ bytes: Data) throws(TintypeError) -> Image? {
        switch self {
        case .unknown, .hidden: nil
        case .still(let reader): try reader.append(bytes) ? try reader.preview() : nil
        case .animation(let animation): try animation.append(bytes)
        }
    }
}

/// The state of a codec library that decodes one still image while it arrives.
///
/// Used by one thread at a time: see ``IncrementalImage``.
package protocol PreviewReader: AnyObject, Sendable {
    /// Decodes the next bytes; returns whether there is more to show.
    func append(_ bytes: Data) throws(TintypeError) -> Bool

    /// Returns the image as decoded so far, also after a failure; `nil` if nothing has been decoded.
    func preview() throws(TintypeError) -> Image?
}

extension PreviewReader {
    /// Decodes as much as possible of an image that may be damaged; returns `nil` if nothing can be decoded.
    package func salvage(_ bytes: Data) throws(TintypeError) -> Image? {
        do throws(TintypeError) {
            _ = try append(bytes)
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return try preview()
    }
}
