package import Foundation

/// What the numbers in the channels of a picture mean, as its file says.
package enum SourceColors: Equatable, Sendable {
    /// They are sRGB, or nothing is said of them.
    case standard
    /// An ICC profile (ICC.1:2022), as bytes that may be damaged.
    case profile(Data)
    /// Primaries and transfer characteristics by their numbers (ITU-T H.273, 8.1 and 8.2).
    case coded(primaries: Int, transfer: Int)
    /// A channel is light to the power of `gamma`; `nil` is the curve of sRGB.
    case measured(gamma: Double?, Chromaticities)

    /// Whether light is coded for displays that are far brighter than white paper.
    package var isHighRange: Bool { highRangeTransfer != nil }

    var highRangeTransfer: HighRangeTransfer? {
        guard case .coded(_, let transfer) = self else { return nil }
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
    case inks
}
