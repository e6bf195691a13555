import Foundation

/// Colour transforms that no one uses at the moment, and which colours need none; of all those used last.
struct ColorTransformCache: Sendable {
    /// What is known of some colours.
    enum Conversion: Sendable {
        /// They are shown as they are.
        case identity
        /// How they become sRGB; whoever has it brings it back.
        case transform(ColorTransform)
    }

    private struct Entry: Sendable {
        let key: ColorTransformKey
        let conversion: Conversion
    }

    private let count: Int
    private let cost: Int
    /// From the one used longest ago to the one used last. So few that looking through them is nothing beside making one.
    private var entries: [Entry] = []
    private(set) var totalCost = 0

    /// - Parameters:
    ///   - count: how many are kept.
    ///   - cost: of all together, in bytes: see ``ColorTransformKey/cost``.
    init(count: Int = 16, cost: Int = 32 << 20) {
        self.count = count
        self.cost = cost
    }

    /// What is known of these colours. A transform is the caller's alone from now on.
    mutating func take(_ key: ColorTransformKey) -> Conversion? {
        guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        if case .identity = entry.conversion { entries.append(entry) } else { totalCost -= key.cost }
        return entry.conversion
    }

    /// Keeps what was made, or brought back.
    ///
    /// - Returns: what goes for it: itself where it is too large.
    mutating func put(_ key: ColorTransformKey, _ conversion: Conversion) -> [Conversion] {
        guard key.cost <= cost else { return [conversion] }
        entries.append(Entry(key: key, conversion: conversion))
        totalCost += key.cost
        var gone: [Conversion] = []
        while entries.count > count || totalCost > cost {
            let entry = entries.removeFirst()
            totalCost -= entry.key.cost
            gone.append(entry.conversion)
        }
        return gone
    }
}

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
        case .codePoints(let primaries, let transfer): [2] + bytes(of: [Double(primaries), Double(transfer)])
        case .measured(let gamma, let places):
            [3] + bytes(of: [gamma == nil ? 0 : 1, gamma ?? 0] + places.all.flatMap { [$0.x, $0.y] })
        }
    }

    private static func bytes(of numbers: [Double]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }
}

extension Chromaticities {
    fileprivate var all: [Point] { [white, red, green, blue] }
}
