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
    /// Pixels of all frames of an animation together, each counted as the canvas or, if that is larger, its rectangle.
    /// No more than a few frames are ever in memory: this bounds the time to reach the last one.
    public var animatedPixels: Int
    /// Bytes of a colour profile, inflated: 4 MB, twice the largest that printers use.
    public var profileBytes: Int

    public init(
        pixels: Int = 100_000_000, side: Int = 65_535, frames: Int = 10_000, scans: Int = 500,
        animatedPixels: Int = 4_000_000_000, profileBytes: Int = 4 << 20
    ) {
        self.pixels = pixels
        self.side = side
        self.frames = frames
        self.scans = scans
        self.animatedPixels = animatedPixels
        self.profileBytes = profileBytes
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for a colour profile of too many bytes.
    public func check(profileBytes count: Int) throws(TintypeError) {
        guard count <= profileBytes else {
            throw Self.exceeded("a colour profile of \(count) bytes, \(profileBytes) are allowed")
        }
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

    /// - Throws: ``TintypeError/Code/limitExceeded`` when a frame or all together are too many pixels;
    ///   ``TintypeError/Code/undecodable`` for a frame without any.
    public func check(_ frames: [AnimationFrame], canvas: PixelSize) throws(TintypeError) {
        guard frames.count <= self.frames else {
            throw Self.exceeded("\(frames.count) frames, \(self.frames) are allowed")
        }
        var left = animatedPixels
        for frame in frames {
            guard frame.rect.size.isPositive else {
                throw TintypeError(.undecodable, stage: .decode, "a frame has no pixels (\(frame.rect.size))")
            }
            guard frame.rect.size.area <= pixels else {
                throw Self.exceeded("a frame of \(frame.rect.size) pixels, \(pixels) are allowed")
            }
            left -= max(canvas.area, frame.rect.size.area)
            guard left >= 0 else { throw Self.exceeded("an animation of more than \(animatedPixels) pixels") }
        }
    }

    private static func exceeded(_ message: String) -> TintypeError {
        TintypeError(.limitExceeded, stage: .decode, message)
    }
}
