/// Makes other pixels of a picture's pixels; of an animation's, frame by frame as they are wanted.
///
/// It keeps no state, so that any thread may use it for any frame.
public protocol ImageTransformer: Sendable {
    /// Names the kind and every parameter that changes pixels, in a canonical form: it enters the key, and two
    /// transformers that give different pixels never share one.
    var identifier: String { get }

    /// Called off the caller's thread, on an executor that may be blocked. What takes long asks ``TransformContext/current``
    /// now and then whether anyone still waits.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed``, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/cancelled``.
    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer
}

/// A transformer that looks at what a picture shows to find out what to keep of it.
///
/// The frames of an animation have one size and must not jump, so for them it looks once, at the first frame.
protocol ContentTransformer: ImageTransformer {
    /// The transformer that does to every picture of this size what this one does to `pixels`.
    func resolved(for pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer
}

/// A transformer of the program's own, as a closure.
public struct ClosureTransformer: ImageTransformer {
    private let name: String
    private let body: @Sendable (PixelBuffer) throws -> PixelBuffer

    /// - Parameters:
    ///   - identifier: names what `body` does, with every parameter that changes pixels: it enters the key, marked as
    ///     the program's own, so that it may be equal to that of a built-in transformer.
    ///   - body: called off the caller's thread; an error of its own becomes the cause of
    ///     ``TintypeError/Code/transformFailed``.
    public init(identifier: String, _ body: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer) {
        name = identifier
        self.body = body
    }

    /// After its length, so that it ends where it ends.
    public var identifier: String { "closure(\(name.utf8.count):\(name))" }

    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        do {
            return try body(pixels)
        } catch let error as TintypeError {
            throw error
        } catch {
            throw TintypeError(
                .transformFailed, stage: .transform, "\(name) failed: \(error)", underlying: error)
        }
    }
}

extension TintypeError {
    /// A transformer whose parameters make no sense, or none for this picture.
    static func transformFailed(_ message: String) -> TintypeError {
        TintypeError(.transformFailed, stage: .transform, message)
    }
}

extension PixelSize {
    /// The most bytes, with what rows are padded by, of a picture that a transformer makes: parameters may come from
    /// outside.
    static let maxTransformedByteCount = 1 << 30

    /// The longest side of a picture that a transformer makes: tables grow with it.
    static let maxTransformedSide = 1 << 20

    /// This size, if a transformer may make a picture of it.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` for one that is empty, ``TintypeError/Code/limitExceeded``.
    func checkedForTransform() throws(TintypeError) -> PixelSize {
        guard isPositive else { throw .transformFailed("no picture has the size \(self)") }
        guard max(width, height) <= Self.maxTransformedSide,
            PixelBuffer.bytesPerRow(width: width) * height <= Self.maxTransformedByteCount
        else {
            throw TintypeError(.limitExceeded, stage: .transform, "a picture of \(self) pixels is too large to make")
        }
        return self
    }
}

extension Double {
    /// One text for each number, for identifiers: zero has no sign there.
    var canonical: String { String(self == 0 ? 0 : self) }

    /// This number, if it is one.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed``.
    func checkedForTransform(_ name: String) throws(TintypeError) -> Double {
        guard isFinite else { throw .transformFailed("the \(name) \(self) is not a number to work with") }
        return self
    }
}
