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

/// How a picture or colour is put on another: the modes of W3C Compositing and Blending Level 1, numbered like those of
/// Core Graphics, which the original system names.
public enum BlendMode: Int, CaseIterable, Hashable, Sendable {
    case normal
    case multiply
    case screen
    case overlay
    case darken
    case lighten
    case colorDodge
    case colorBurn
    case softLight
    case hardLight
    case difference
    case exclusion
    case hue
    case saturation
    case color
    case luminosity
    case clear
    case copy
    case sourceIn
    case sourceOut
    case sourceAtop
    case destinationOver
    case destinationIn
    case destinationOut
    case destinationAtop
    case xor
    case plusDarker
    case plusLighter

    /// The name as in the source, for identifiers and the command.
    public var name: String { String(describing: self) }
}
