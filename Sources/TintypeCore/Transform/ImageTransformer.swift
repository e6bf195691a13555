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
