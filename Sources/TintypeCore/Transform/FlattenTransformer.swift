/// Puts a picture on a colour. On an opaque one, nothing stays transparent.
public struct FlattenTransformer: PixelwiseTransformer {
    public var color: Color

    public init(on color: Color = .white) {
        self.color = color
    }

    public var identifier: String { "flatten(\(color))" }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        try TintTransformer(color, mode: .destinationOver).operation(for: size)
    }
}
