import CTintypeKernels

/// Blends a colour over an image.
public struct TintTransformer: PixelwiseTransformer {
    /// The colour.
    package var color: Color
    /// How the colour is blended. ``BlendMode/sourceIn``, the default and SDWebImage's choice, replaces all colours and
    /// keeps the shape.
    package var mode: BlendMode

    /// Creates a transformer that blends `color` over the image.
    public init(_ color: Color, mode: BlendMode = .sourceIn) {
        self.color = color
        self.mode = mode
    }

    /// The kind of the transformer, the colour and the blend mode.
    package var name: String { "tint(\(color),\(mode.name))" }

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

/// Draws an image on a background colour. On an opaque colour the result has no transparency.
public struct FlattenTransformer: PixelwiseTransformer {
    /// The background colour.
    package var color: Color

    /// Creates a transformer that draws the image on `color`.
    public init(on color: Color = .white) {
        self.color = color
    }

    /// The kind of the transformer and the colour.
    package var name: String { "flatten(\(color))" }

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

/// How an image or a colour (the source) is composited onto another image (the destination).
///
/// The modes are those of W3C Compositing and Blending Level 1. Raw values are those of Core Graphics, which SDWebImage
/// uses.
public enum BlendMode: Int, CaseIterable, Hashable, Sendable {
    /// The source over the destination.
    case normal
    /// The product of both colours; never lighter than either.
    case multiply
    /// The complement of the product of both complements; never darker than either.
    case screen
    /// ``multiply`` or ``screen``, depending on the destination colour.
    case overlay
    /// The darker of both colours, per channel.
    case darken
    /// The lighter of both colours, per channel.
    case lighten
    /// Brightens the destination to reflect the source.
    case colorDodge
    /// Darkens the destination to reflect the source.
    case colorBurn
    /// Darkens or lightens, depending on the source colour, like a diffuse light.
    case softLight
    /// ``multiply`` or ``screen``, depending on the source colour.
    case hardLight
    /// The absolute difference of both colours.
    case difference
    /// Like ``difference``, with lower contrast.
    case exclusion
    /// The hue of the source with the saturation and luminosity of the destination.
    case hue
    /// The saturation of the source with the hue and luminosity of the destination.
    case saturation
    /// The hue and saturation of the source with the luminosity of the destination.
    case color
    /// The luminosity of the source with the hue and saturation of the destination.
    case luminosity
    /// Nothing: fully transparent.
    case clear
    /// The source alone.
    case copy
    /// The source where the destination is opaque; no destination.
    case sourceIn
    /// The source where the destination is transparent; no destination.
    case sourceOut
    /// The source where the destination is opaque, over the destination.
    case sourceAtop
    /// The destination over the source.
    case destinationOver
    /// The destination where the source is opaque; no source.
    case destinationIn
    /// The destination where the source is transparent; no source.
    case destinationOut
    /// The destination where the source is opaque, over the source.
    case destinationAtop
    /// Each where the other is transparent.
    case xor
    /// The sum of both complements, complemented and clamped.
    case plusDarker
    /// The sum of both, clamped.
    case plusLighter

    /// The case name, used in identifiers and by the `tintype` command.
    package var name: String { String(describing: self) }
}
