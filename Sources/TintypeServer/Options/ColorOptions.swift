/// An opaque colour in sRGB, 8 bits a component.
package struct RGBColor: Hashable, Sendable {
    /// The red component.
    package var red: UInt8
    /// The green component.
    package var green: UInt8
    /// The blue component.
    package var blue: UInt8

    /// Creates a colour from its components.
    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates a colour from three or six hexadecimal digits; `nil` for another text.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.map(\.hexadecimalValue)
        guard [3, 6].contains(digits.count), !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        let isLong = values.count == 6
        let components = (0..<3).map { isLong ? values[2 * $0] << 4 | values[2 * $0 + 1] : values[$0] * 17 }
        self.init(red: components[0], green: components[1], blue: components[2])
    }

    /// Six hexadecimal digits in lower case.
    package var hexadecimal: String {
        [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// A reduction to the shades of one colour.
package struct MonochromeOption: Hashable, Sendable {
    /// The strength of the effect, from 0, off, to 1.
    package var intensity = 0.0
    /// The colour of medium brightness.
    package var color = RGBColor(red: 0xb3, green: 0xb3, blue: 0xb3)
}

/// A reduction to the mixtures of two colours.
package struct DuotoneOption: Hashable, Sendable {
    /// The strength of the effect, from 0, off, to 1.
    package var intensity = 0.0
    /// The colour of dark areas.
    package var dark = RGBColor(red: 0, green: 0, blue: 0)
    /// The colour of light areas.
    package var light = RGBColor(red: 255, green: 255, blue: 255)
}

/// Changes of the result's colours.
package struct ColorAdjustment: Hashable, Sendable {
    /// Added to each component, from −255 to 255.
    package var brightness = 0
    /// A factor, 1 for no change.
    package var contrast = 1.0
    /// A factor, 1 for no change, 0 for greys.
    package var saturation = 1.0
    /// A reduction to the shades of one colour.
    package var monochrome = MonochromeOption()
    /// A reduction to the mixtures of two colours.
    package var duotone = DuotoneOption()
}

/// The filters of the result.
package struct FilterOptions: Hashable, Sendable {
    /// The standard deviation of a Gaussian blur in pixels; 0 for none.
    package var blur = 0.0
    /// The standard deviation of a sharpening mask in pixels; 0 for none.
    package var sharpen = 0.0
    /// The side of a mosaic's tile in pixels; 0 or 1 for none.
    package var pixelate = 0
}

/// An image that is drawn on the result.
package struct WatermarkOption: Hashable, Sendable {
    /// The factor of the configured opacity, from 0, no watermark, to 1.
    package var opacity = 0.0
    /// Where the watermark is.
    package var placement = Placement.center
    /// The horizontal offset, as in ``GravityOption/x``; between repeated watermarks, their distance.
    package var x = 0.0
    /// The vertical offset.
    package var y = 0.0
    /// The share of the result's size into which the watermark is fitted; 0 for its own size.
    package var scale = 0.0
    /// The URL of the image; empty for the configured one.
    package var url = ""
    /// The width into which the watermark is fitted if there is no scale; 0 for none.
    package var width = 0
    /// The height into which the watermark is fitted if there is no scale; 0 for none.
    package var height = 0
    /// The clockwise rotation in degrees, from 0 to below 360.
    package var rotation = 0.0
}
