/// What the header of an encoded picture tells, before any pixel is decoded.
public struct ImageInfo: Hashable, Sendable {
    /// What its bytes are, whatever they are called.
    public var format: ImageFormat
    /// The size of the whole picture as displayed, orientation applied, in pixels.
    public var size: PixelSize
    /// The orientation as stored; it has been applied to ``size`` and to every decoded pixel.
    public var orientation: Orientation
    /// Whether a pixel may be transparent.
    public var hasAlpha: Bool
    /// 1 for a still picture.
    public var frameCount: Int
    /// The total number of plays; 0 is forever. A still picture has 0.
    public var loopCount: Int
    /// The duration of each frame in seconds, as stored; empty for a still picture. How long each is shown is told by
    /// ``AnimatedImage/durations``.
    public var durations: [Double]
    /// How closely the pixels are meant to lie, as stored: orientation does not change it. `nil` where nothing is said.
    public var density: PixelDensity?

    public init(
        format: ImageFormat, size: PixelSize, orientation: Orientation = .up, hasAlpha: Bool = false,
        frameCount: Int = 1, loopCount: Int = 0, durations: [Double] = [], density: PixelDensity? = nil
    ) {
        self.format = format
        self.size = size
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.durations = durations
        self.density = density
    }

    /// The size of the pixels as stored, before the orientation is applied.
    public var storedSize: PixelSize { orientation.displayed(size) }
}
