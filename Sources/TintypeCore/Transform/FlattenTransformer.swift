import CTintypeKernels

/// Puts a picture on a colour. On an opaque one, nothing stays transparent.
public struct FlattenTransformer: PixelwiseTransformer {
    public var color: Color

    public init(on color: Color = .white) {
        self.color = color
    }

    public var identifier: String { "flatten(\(color))" }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        let pixel = color.pixel
        let background = [pixel.red, pixel.green, pixel.blue, pixel.alpha]
        return PixelOperation { strip in
            tintype_kernels_current().pointee.flatten(
                strip.pixels, strip.stride, strip.pixels, strip.stride, strip.size.width, strip.size.height,
                background)
        }
    }
}
