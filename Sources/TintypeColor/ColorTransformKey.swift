import Foundation

/// What a ``ColorTransform`` is made of. Equal only where all bytes of a profile are.
struct ColorTransformKey: Equatable, Sendable {
    /// What the file says, in memory of its own: a profile would keep the file that it came in.
    private let source: [UInt8]
    let channels: SourceChannels

    init(_ colors: SourceColors, _ channels: SourceChannels) {
        source = Self.bytes(of: colors)
        self.channels = channels
    }

    /// The most bytes that are kept for it: those of the profile; of the transform, a table of 33³ or 17⁴ colours and its
    /// curves, or where lcms2 makes none, the profile's own tables in 16 bits.
    var cost: Int { (1 << 20) + 3 * source.count }

    /// The first byte tells the kinds apart.
    private static func bytes(of colors: SourceColors) -> [UInt8] {
        switch colors {
        case .standard: [0]
        case .profile(let profile): [1] + profile
        case .coded(let primaries, let transfer): [2] + bytes(of: [Double(primaries), Double(transfer)])
        case .measured(let gamma, let places):
            [3] + bytes(of: [gamma == nil ? 0 : 1, gamma ?? 0] + places.all.flatMap { [$0.x, $0.y] })
        }
    }

    private static func bytes(of numbers: [Double]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }
}

extension Chromaticities {
    fileprivate var all: [Point] { [white, red, green, blue] }
}
