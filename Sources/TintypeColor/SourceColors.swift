package import Foundation

/// What the numbers in the channels of a picture mean, as its file says.
package enum SourceColors: Equatable, Sendable {
    /// They are sRGB, or nothing is said of them.
    case standard
    /// An ICC profile (ICC.1:2022), as bytes that may be damaged.
    case profile(Data)
    /// Primaries and transfer characteristics by their numbers (ITU-T H.273, 8.1 and 8.2).
    case codePoints(primaries: Int, transfer: Int)
    /// A channel is light to the power of `gamma`; `nil` is the curve of sRGB.
    case measured(gamma: Double?, Chromaticities)

    /// Whether light is coded for displays that are far brighter than white paper.
    package var isHighRange: Bool { highRangeTransfer != nil }

    var highRangeTransfer: HighRangeTransfer? {
        guard case .codePoints(_, let transfer) = self else { return nil }
        return HighRangeTransfer(rawValue: transfer)
    }
}

/// The channels that a picture is stored in.
package enum SourceChannels: Sendable {
    /// RGBA, colour straight.
    case rgb
    /// The same, of equal red, green and blue.
    case grey
    /// Cyan, magenta, yellow, black; 255 is all of an ink.
    case cmyk
}

/// The places of white and of the three primaries in the CIE 1931 diagram.
package struct Chromaticities: Equatable, Sendable {
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

    /// Of sRGB and BT.709.
    package static let standard = Chromaticities(
        white: d65, red: Point(0.64, 0.33), green: Point(0.30, 0.60), blue: Point(0.15, 0.06))

    /// ITU-T H.273, table 2; `nil` for numbers that say nothing, or what no picture has.
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

    /// Whether light can be mixed of them: hostile files name points on a line, or without light.
    package var isUsable: Bool {
        let points = [white, red, green, blue]
        guard points.allSatisfy({ (0...1).contains($0.x) && (0.0001...1).contains($0.y) }) else { return false }
        let area = (green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)
        return abs(area) > 0.001
    }

    /// Whether no eye tells it from that of sRGB.
    package var isStandard: Bool {
        let own = Self.standard
        return zip([white, red, green, blue], [own.white, own.red, own.green, own.blue]).allSatisfy {
            abs($0.x - $1.x) < 0.002 && abs($0.y - $1.y) < 0.002
        }
    }
}
