package import Foundation
package import TintypeCore

/// The parameters of a gain map, which makes a brighter rendition of an image (ISO 21496-1; Adobe Gain Map
/// specification 1.0).
package struct GainMapParameters: Equatable, Sendable {
    /// The parameters of one channel.
    struct Channel: Equatable, Sendable {
        /// The logarithms to base 2 of the least and greatest gain.
        var least = 0.0
        var greatest = 1.0
        /// The exponent with which the map is encoded.
        var gamma = 1.0
        /// The light that is added before, and subtracted after the gain.
        var baseOffset = 1 / 64.0
        var brightOffset = 1 / 64.0
    }

    /// Those of red, green and blue.
    let channels: [Channel]

    private init?(_ channels: [Channel]) {
        let areUsable = channels.allSatisfy { channel in
            let numbers = [
                channel.least, channel.greatest, channel.gamma, channel.baseOffset, channel.brightOffset,
            ]
            // No display shows more than 2¹⁶ times white.
            return numbers.allSatisfy { $0.isFinite && abs($0) <= 16 } && channel.gamma > 0
        }
        guard channels.count == 3, areUsable else { return nil }
        self.channels = channels
    }

    /// Reads the parameters from an XMP packet.
    ///
    /// - Returns: `nil` if they are absent or invalid, and if the image itself is the bright rendition.
    package init?(_ packet: XMPPacket) {
        guard let greatest = packet.gainMapNumbers("GainMapMax"), !packet.gainMapFlag("BaseRenditionIsHDR") else {
            return nil
        }
        func numbers(_ name: String, _ standard: Double) -> [Double] { packet.gainMapNumbers(name) ?? [standard] }
        let standard = Channel()
        let (least, gamma) = (numbers("GainMapMin", standard.least), numbers("Gamma", standard.gamma))
        let base = numbers("OffsetSDR", standard.baseOffset)
        let bright = numbers("OffsetHDR", standard.brightOffset)
        // A single number counts for all channels.
        func channel(_ list: [Double], _ index: Int) -> Double { list.count == 3 ? list[index] : list[0] }
        self.init(
            (0..<3).map { index in
                Channel(
                    least: channel(least, index), greatest: channel(greatest, index), gamma: channel(gamma, index),
                    baseOffset: channel(base, index), brightOffset: channel(bright, index))
            })
    }

    /// Reads the binary parameters (ISO 21496-1, C.2).
    ///
    /// - Returns: `nil` if they are absent or invalid, and if the image itself is the bright rendition.
    package init?(_ data: Data) {
        var fields = GainMapFields(data)
        guard let version = fields.number(2), version == 0, fields.number(2) != nil, let flags = fields.number(1) else {
            return nil
        }
        fields.sharesDenominator = flags & 0x08 != 0
        guard fields.readDenominator(), let base = fields.fraction(isSigned: false),
            let alternate = fields.fraction(isSigned: false), alternate > base
        else { return nil }
        var channels: [Channel] = []
        for _ in 0..<(flags & 0x80 == 0 ? 1 : 3) {
            guard let least = fields.fraction(), let greatest = fields.fraction(),
                let gamma = fields.fraction(isSigned: false), let baseOffset = fields.fraction(),
                let brightOffset = fields.fraction()
            else { return nil }
            channels.append(
                Channel(
                    least: least, greatest: greatest, gamma: gamma, baseOffset: baseOffset, brightOffset: brightOffset))
        }
        self.init(channels.count == 1 ? Array(repeating: channels[0], count: 3) : channels)
    }
}

/// Reads the big-endian fields of binary parameters in order.
private struct GainMapFields {
    private var rest: Data
    /// Whether all fractions have one denominator.
    var sharesDenominator = false
    private var denominator = 1

    init(_ data: Data) {
        rest = data
    }

    mutating func number(_ size: Int) -> Int? {
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads the denominator of all fractions, if there is one.
    mutating func readDenominator() -> Bool {
        guard sharesDenominator else { return true }
        guard let number = number(4), number > 0 else { return false }
        denominator = number
        return true
    }

    /// Reads a numerator and, unless it is shared, its denominator.
    mutating func fraction(isSigned: Bool = true) -> Double? {
        guard let numerator = number(4) else { return nil }
        if !sharesDenominator {
            guard let own = number(4), own > 0 else { return nil }
            denominator = own
        }
        let value = isSigned ? Int(Int32(truncatingIfNeeded: numerator)) : numerator
        return Double(value) / Double(denominator)
    }
}
