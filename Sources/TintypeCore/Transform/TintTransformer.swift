import CTintypeKernels

/// Lays a colour over a picture.
public struct TintTransformer: PixelwiseTransformer {
    public var color: Color
    /// ``BlendMode/sourceIn`` colours what is there and keeps its shape, like SDWebImage.
    public var mode: BlendMode

    public init(_ color: Color, mode: BlendMode = .sourceIn) {
        self.color = color
        self.mode = mode
    }

    public var identifier: String { "tint(\(color),\(mode.name))" }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        let pixel = color.pixel
        let row = Array(repeating: [pixel.red, pixel.green, pixel.blue, pixel.alpha], count: size.width).flatMap(\.self)
        let mode = Int32(mode.rawValue)
        return PixelOperation { strip in
            tintype_kernels_current().pointee.blend(
                row, 0, strip.pixels, strip.stride, strip.size.width, strip.size.height, mode)
        }
    }
}
