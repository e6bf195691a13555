/// What a picture may cost to decode. Checked on its header, before anything is allocated, and again while decoding.
public struct DecodeLimits: Hashable, Sendable {
    /// Pixels of one frame.
    public var pixels: Int
    /// Pixels along either side.
    public var side: Int
    /// Frames of an animation.
    public var frames: Int
    /// Scans of a progressive JPEG, each of which costs a pass over the picture.
    public var scans: Int

    public init(pixels: Int = 100_000_000, side: Int = 65_535, frames: Int = 10_000, scans: Int = 500) {
        self.pixels = pixels
        self.side = side
        self.frames = frames
        self.scans = scans
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` when the header promises more.
    public func check(_ info: ImageInfo) throws(TintypeError) {
        guard info.size.isPositive else {
            throw TintypeError(.undecodable, stage: .decode, "the picture has no pixels (\(info.size))")
        }
        guard info.size.width <= side, info.size.height <= side else {
            throw Self.exceeded("\(info.size) pixels, a side may have \(side)")
        }
        guard info.size.area <= pixels else {
            throw Self.exceeded("\(info.size) are \(info.size.area) pixels, \(pixels) are allowed")
        }
        guard info.frameCount <= frames else {
            throw Self.exceeded("\(info.frameCount) frames, \(frames) are allowed")
        }
    }

    private static func exceeded(_ message: String) -> TintypeError {
        TintypeError(.limitExceeded, stage: .decode, message)
    }
}
