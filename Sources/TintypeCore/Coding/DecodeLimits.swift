/// What a picture may cost to decode. Checked on its header, before anything is allocated, and again while decoding.
///
/// Of each that is exceeded, ``TintypeError/limit`` tells which one it was.
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
    /// Bytes of one chunk that stands before the pixels of a PNG.
    public var chunkBytes = 8 << 20
    /// Bytes of all text before the pixels of a PNG, as stored. None of it is read.
    public var textBytes = 8 << 20
    /// Bytes of a colour profile: 4 MB, twice the largest that printers use.
    public var profileBytes: Int
    /// Bytes of Exif, all segments of it together.
    public var exifBytes = 4 << 20
    /// Bytes of decoded pixels for each byte of a file, where they are more than ``freeBytes``. Of blank paper a format can
    /// make far more of a byte than this, so it counts for large pictures alone.
    public var ratio = 20_000
    /// Elements of an SVG, those that its entities stand for included.
    public var elements = 100_000
    /// Pixels that the filters of an SVG may look at, all together, at the size that it is drawn at.
    public var filteredPixels = 10_000_000_000
    /// How long one decode may take: of an animation, each frame that is asked for. Asked every few rows, so a decode ends
    /// a little later; of a library that asks no one, only after it.
    public var time: Duration = .seconds(60)

    /// Bytes of decoded pixels that no ``ratio`` is asked about: 128 MB, a picture of 33 megapixels.
    public static let freeBytes = 128 << 20

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

    /// - Throws: ``TintypeError/Code/limitExceeded`` when the header promises more.
    public func check(_ info: ImageInfo) throws(TintypeError) {
        guard info.size.isPositive else {
            throw TintypeError(.undecodable, stage: .decode, "the picture has no pixels (\(info.size))")
        }
        guard info.size.width <= side, info.size.height <= side else {
            throw .exceeded(.side, "\(info.size) pixels, a side may have \(side)")
        }
        guard info.size.area <= pixels else {
            throw .exceeded(.pixels, "\(info.size) are \(info.size.area) pixels, \(pixels) are allowed")
        }
        guard info.frameCount <= frames else {
            throw .exceeded(.frames, "\(info.frameCount) frames, \(frames) are allowed")
        }
    }

    /// The same, and whether so few bytes may become so many pixels.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    public func check(_ info: ImageInfo, byteCount: Int) throws(TintypeError) {
        try check(info)
        let decoded = info.size.area * PixelBuffer.bytesPerPixel
        guard decoded <= Self.freeBytes || decoded / max(byteCount, 1) <= ratio else {
            throw .exceeded(.ratio, "\(byteCount) bytes that become \(decoded), \(ratio) for each are allowed")
        }
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` when a frame or all together are too many pixels;
    ///   ``TintypeError/Code/undecodable`` for a frame without any.
    public func check(_ frames: [AnimationFrame], canvas: PixelSize) throws(TintypeError) {
        guard frames.count <= self.frames else {
            throw .exceeded(.frames, "\(frames.count) frames, \(self.frames) are allowed")
        }
        var left = animatedPixels
        for frame in frames {
            guard frame.rect.size.isPositive else {
                throw TintypeError(.undecodable, stage: .decode, "a frame has no pixels (\(frame.rect.size))")
            }
            guard frame.rect.size.area <= pixels else {
                throw .exceeded(.pixels, "a frame of \(frame.rect.size) pixels, \(pixels) are allowed")
            }
            left -= max(canvas.area, frame.rect.size.area)
            guard left >= 0 else {
                throw .exceeded(.animatedPixels, "an animation of more than \(animatedPixels) pixels")
            }
        }
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for a colour profile of too many bytes.
    public func check(profileBytes count: Int) throws(TintypeError) {
        guard count <= profileBytes else {
            throw .exceeded(.profileBytes, "a colour profile of \(count) bytes, \(profileBytes) are allowed")
        }
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for Exif of too many bytes, all segments together.
    public func check(exifBytes count: Int) throws(TintypeError) {
        guard count <= exifBytes else {
            throw .exceeded(.exifBytes, "Exif of \(count) bytes, \(exifBytes) are allowed")
        }
    }
}
