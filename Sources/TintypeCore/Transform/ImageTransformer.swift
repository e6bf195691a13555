/// Computes new pixels from the pixels of an image. Animations are transformed frame by frame, when a frame is needed.
///
/// A transformer has no mutable state: any thread may call it for any frame, also concurrently.
public protocol ImageTransformer: Sendable {
    /// The canonical name of the transformer, with every parameter that changes pixels.
    ///
    /// It becomes part of the cache key, so two transformers that produce different pixels must have different
    /// identifiers.
    var identifier: String { get }

    /// Whether previews of an arriving image are transformed, too, so that they look like the final image.
    ///
    /// By default `false`. The transformers of Tintype that look at one pixel at a time, or move pixels, transform
    /// previews. Those that cost much, or depend on what the whole image shows, do not.
    var transformsPreviews: Bool { get }

    /// Returns the transformed pixels.
    ///
    /// The pipeline calls it on a thread that may block. A long-running transformer checks ``TransformContext/current``
    /// periodically for cancellation.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed``, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/cancelled``.
    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer
}

extension ImageTransformer {
    /// Returns `false`.
    public var transformsPreviews: Bool { false }
}

/// A transformer of Tintype. Programs create it and pass it on; what it does for the pipeline is not part of its
/// interface.
package protocol BuiltInTransformer: ImageTransformer {
    /// The kind of the transformer and its parameters: its ``ImageTransformer/identifier``.
    var name: String { get }

    /// Whether previews are transformed: by default not.
    var appliesToPreviews: Bool { get }

    /// Does what ``ImageTransformer/transform(_:)`` does.
    func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer
}

extension BuiltInTransformer {
    package var appliesToPreviews: Bool { false }

    /// The kind of the transformer and its parameters.
    public var identifier: String { name }

    /// Whether previews of an arriving image are transformed, too.
    public var transformsPreviews: Bool { appliesToPreviews }

    /// Returns the transformed pixels.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer { try apply(to: pixels) }
}

/// A transformer that calls a closure of the program.
public struct ClosureTransformer: BuiltInTransformer {
    private let label: String
    private let body: @Sendable (PixelBuffer) throws -> PixelBuffer
    package let appliesToPreviews: Bool

    /// Creates a transformer that calls `body`.
    ///
    /// - Parameters:
    ///   - identifier: The name of what `body` does, with every parameter that changes pixels. It becomes part of the
    ///     cache key, marked as user-defined, so it cannot clash with the identifier of a built-in transformer.
    ///   - transformsPreviews: Whether previews of an arriving image are transformed, too.
    ///   - body: The pipeline calls it on a thread that may block. An error other than ``TintypeError`` is reported as
    ///     ``TintypeError/Code/transformFailed``, with that error as its cause.
    public init(
        identifier: String, transformsPreviews: Bool = false,
        _ body: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer
    ) {
        label = identifier
        appliesToPreviews = transformsPreviews
        self.body = body
    }

    /// The name given at creation, prefixed by its length in UTF-8 bytes so that composed identifiers stay unambiguous.
    package var name: String { "closure(\(label.utf8.count):\(label))" }

    /// Returns the pixels that the closure returns.
    ///
    /// - Throws: The closure's ``TintypeError``; ``TintypeError/Code/transformFailed`` for its other errors.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        do {
            return try body(pixels)
        } catch let error as TintypeError {
            throw error
        } catch {
            throw TintypeError(
                .transformFailed, stage: .transform, "\(label) failed: \(error)", underlying: error)
        }
    }
}

extension TintypeError {
    /// Creates an error for a transformer whose parameters are invalid, or invalid for this image.
    static func transformFailed(_ message: String) -> TintypeError {
        TintypeError(.transformFailed, stage: .transform, message)
    }
}

extension PixelSize {
    /// The maximum size in bytes, row padding included, of an image that a transformer creates. Parameters may come
    /// from untrusted input.
    static let maxTransformedByteCount = 1 << 30

    /// The maximum side length in pixels of an image that a transformer creates. Lookup tables grow with it.
    static let maxTransformedSide = 1 << 20

    /// Returns this size if a transformer may create an image of it.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the size is empty, ``TintypeError/Code/limitExceeded`` if it
    ///   is too large.
    func checkedForTransform() throws(TintypeError) -> PixelSize {
        guard isPositive else { throw .transformFailed("an image cannot have the size \(self)") }
        guard max(width, height) <= Self.maxTransformedSide,
            PixelBuffer.bytesPerRow(width: width) * height <= Self.maxTransformedByteCount
        else {
            throw TintypeError(
                .limitExceeded, stage: .transform, "an image of \(self) pixels exceeds the limit for transformed images"
            )
        }
        return self
    }
}

extension Double {
    /// The text of this number for identifiers. Zero and negative zero have the same text.
    var canonical: String { String(self == 0 ? 0 : self) }

    /// Returns this number if it is finite.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if it is infinite or not a number.
    func checkedForTransform(_ name: String) throws(TintypeError) -> Double {
        guard isFinite else { throw .transformFailed("the \(name) must be a finite number, not \(self)") }
        return self
    }
}
