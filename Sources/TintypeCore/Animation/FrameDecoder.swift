/// The frames of one animated picture, each decoded on its own, in any order.
///
/// Made by an ``AnimatedImageDecoder``, which has checked the limits. Used by one thread at a time.
public protocol FrameDecoder: AnyObject, Sendable {
    /// The size of the canvas that the frames are painted on, in pixels as stored.
    var canvasSize: PixelSize { get }
    /// The total number of plays; 0 is forever.
    var loopCount: Int { get }
    /// What the file says of each frame; at least one.
    var frames: [AnimationFrame] { get }

    /// Decodes the pixels of one frame's own rectangle; what was under them is not there.
    ///
    /// - Parameters:
    ///   - index: below the number of ``frames``.
    ///   - isCancelled: asked now and then; the decoder then throws ``TintypeError/Code/cancelled``.
    /// - Returns: pixels of the size of the frame's rectangle.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/cancelled``.
    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer
}
