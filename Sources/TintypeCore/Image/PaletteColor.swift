/// A colour that stands for many of a picture.
public struct PaletteColor: Hashable, Sendable {
    /// The mean of the pixels that it stands for.
    public var color: Color
    /// How much of the picture, from 0 to 1, what is transparent left out.
    public var share: Double

    public init(color: Color, share: Double) {
        self.color = color
        self.share = share
    }
}
