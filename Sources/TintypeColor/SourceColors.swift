package import Foundation

/// The meaning of an image's channel values, as its file states it.
package enum SourceColors: Equatable, Sendable {
    /// sRGB, also if the file states nothing.
    case standard
    /// An ICC profile (ICC.1:2022). Its bytes may be damaged.
    case profile(Data)
    /// Numbers of primaries and transfer characteristics (ITU-T H.273, 8.1 and 8.2).
    case codePoints(primaries: Int, transfer: Int)
    /// Measured primaries, with channel values that are linear light to the power of `gamma`, or follow the curve of
    /// sRGB if `gamma` is `nil`.
    case measured(gamma: Double?, Chromaticities)

    /// Whether the colours are coded for displays much brighter than paper (PQ or HLG).
    package var isHighRange: Bool { highRangeTransfer != nil }

    /// The high-range transfer characteristic, or `nil`.
    var highRangeTransfer: HighRangeTransfer? {
        guard case .codePoints(_, let transfer) = self else { return nil }
        return HighRangeTransfer(rawValue: transfer)
    }
}

/// The channels in which an image is stored.
package enum SourceChannels: Sendable {
    /// Straight RGBA.
    case rgb
    /// Straight RGBA whose red, green and blue are equal.
    case grey
    /// Cyan, magenta, yellow and black; 255 is full ink.
    case cmyk
}

/// The CIE 1931 chromaticities of white and of three primaries.
package struct Chromaticities: Equatable, Sendable {
    /// A point of the CIE 1931 xy diagram.
    package struct Point: Equatable, Sendable {
        package let x: Double
        package let y: Double

        package init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    package let white: Point
    package let red: Point
    package let green: Point
    package let blue: Point

    package init(white: Point, red: Point, green: Point, blue: Point) {
        self.white = white
        self.red = red
        self.green = green
        self.blue = blue
    }

    private static let d65 = Point(0.3127, 0.3290)

    /// The chromaticities of sRGB and BT.709.
    package static let standard = Chromaticities(
        white: d65, red: Point(0.64, 0.33), green: Point(0.30, 0.60), blue: Point(0.15, 0.06))

    /// The chromaticities of a number in ITU-T H.273, table 2.
    ///
    /// - Returns: `nil` for numbers that are unspecified, reserved, or not used by images.
    package init?(primaries: Int) {
        switch primaries {
        case 1: self = .standard
        case 4: self.init(Point(0.310, 0.316), Point(0.67, 0.33), Point(0.21, 0.71), Point(0.14, 0.08))
        case 5: self.init(Self.d65, Point(0.64, 0.33), Point(0.29, 0.60), Point(0.15, 0.06))
        case 6, 7: self.init(Self.d65, Point(0.630, 0.340), Point(0.310, 0.595), Point(0.155, 0.070))
        case 9: self.init(Self.d65, Point(0.708, 0.292), Point(0.170, 0.797), Point(0.131, 0.046))
        case 11: self.init(Point(0.314, 0.351), Point(0.680, 0.320), Point(0.265, 0.690), Point(0.150, 0.060))
        case 12: self.init(Self.d65, Point(0.680, 0.320), Point(0.265, 0.690), Point(0.150, 0.060))
        default: return nil
        }
    }

    private init(_ white: Point, _ red: Point, _ green: Point, _ blue: Point) {
        self.init(white: white, red: red, green: green, blue: blue)
    }

    /// Whether the primaries span a triangle. Hostile files declare points that lie on one line, or points with no
    /// luminance (y = 0).
    package var isUsable: Bool {
        let points = [white, red, green, blue]
        guard points.allSatisfy({ (0...1).contains($0.x) && (0.0001...1).contains($0.y) }) else { return false }
        let area = (green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)
        return abs(area) > 0.001
    }

    /// Whether the difference from sRGB is invisible.
    package var isStandard: Bool {
        let own = Self.standard
        return zip([white, red, green, blue], [own.white, own.red, own.green, own.blue]).allSatisfy {
            abs($0.x - $1.x) < 0.002 && abs($0.y - $1.y) < 0.002
        }
    }
}
