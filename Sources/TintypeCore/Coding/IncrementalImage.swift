package import Foundation

/// Shows a picture while it arrives: a still one, or an animation, whichever its first bytes tell that it is.
///
/// Used by one thread at a time: the lock is there to say so to the compiler, and is never waited for.
package final class IncrementalImage: IncrementalImageDecoder {
    /// What the first bytes of a picture tell.
    package enum Kind: Sendable {
        /// Nothing yet: more of them are needed.
        case unknown
        case still(any PreviewReader)
        case animation(IncrementalAnimation)
        /// Nothing is shown of it before the end.
        case hidden
    }

    private enum State: Sendable {
        /// The bytes so far, which do not tell.
        case head(Data)
        case known(Kind)
    }

    private let kind: @Sendable (Data) throws(TintypeError) -> Kind
    private let state = Locked(State.head(Data()))

    /// - Parameter kind: asked with all bytes so far, until it knows.
    package init(kind: @escaping @Sendable (Data) throws(TintypeError) -> Kind) {
        self.kind = kind
    }

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
