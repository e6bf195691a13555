public import Foundation

/// Makes pixels of the bytes of one or more formats.
///
/// Calls block; the pipeline makes them on an executor as wide as the machine has cores.
public protocol ImageDecoder: Sendable {
    /// The formats that it decodes.
    var formats: Set<ImageFormat> { get }

    /// What the header tells, from the first bytes of a picture.
    ///
    /// - Parameter isComplete: whether `bytes` are the whole picture.
    /// - Returns: `nil` when more bytes are needed to tell; never when they are complete.
    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo?

    /// Decodes the first frame, orientation applied, to the size that the context's options ask for.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for bytes that are damaged or cut short,
    ///   ``TintypeError/Code/limitExceeded`` before memory is claimed for what is too large,
    ///   ``TintypeError/Code/cancelled``.
    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image

    /// A decoder for bytes that are still arriving; `nil` when this one shows nothing before the end.
    func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)?
}

extension ImageDecoder {
    public func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? { nil }
}

/// Shows a picture while its bytes arrive. It keeps its state between chunks and never starts over.
///
/// Used by one thread at a time.
public protocol IncrementalImageDecoder: AnyObject, Sendable {
    /// Takes the next bytes and does what can be done with them.
    ///
    /// - Returns: a picture when it shows more than the last one did.
    func append(_ bytes: Data) throws(TintypeError) -> Image?
}
