public import Foundation

/// Decodes animations while their bytes arrive.
public protocol ProgressiveAnimationDecoder: AnimatedImageDecoder {
    /// The frames that are whole in the first bytes of a picture, none of them decoded yet.
    ///
    /// - Returns: `nil` when there is none yet.
    /// - Throws: as ``AnimatedImageDecoder/makeFrameDecoder(_:_:)``.
    func arrivedFrames(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> ArrivedFrames?
}

extension ProgressiveAnimationDecoder {
    /// Shows the first frame as soon as it is there, and then plays what there is.
    public func makeIncrementalDecoder(_ context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalAnimation(decoder: self, context)
    }
}

/// The frames of a picture that is still arriving.
public struct ArrivedFrames: Sendable {
    /// What the header tells, and of frames those that are there.
    public var info: ImageInfo
    /// Gives the frames that have arrived.
    public var decoder: any FrameDecoder

    public init(info: ImageInfo, decoder: any FrameDecoder) {
        self.info = info
        self.decoder = decoder
    }
}
