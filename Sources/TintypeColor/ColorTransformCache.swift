import Foundation

/// A least recently used cache of idle colour transforms, and of colours that need none.
///
/// A value without lock or thread rules of its own; ``ColorConverter`` keeps one behind a lock.
struct ColorTransformCache: Sendable {
    /// The conversion that some colours need.
    enum Conversion: Sendable {
        /// None: the colours are shown unchanged.
        case identity
        /// This transform. The caller that takes it owns it and puts it back after use.
        case transform(ColorTransform)
    }

    private struct Entry: Sendable {
        let key: ColorTransformKey
        let conversion: Conversion
    }

    private let count: Int
    private let cost: Int
    /// From the least to the most recently used. There are so few that a linear search costs nothing compared with
    /// making a transform.
    private var entries: [Entry] = []
    /// The sum of the costs of all entries, in bytes.
    private(set) var totalCost = 0

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - count: The largest number of entries.
    ///   - cost: The largest sum of their costs in bytes; see ``ColorTransformKey/cost``.
    init(count: Int = 16, cost: Int = 32 << 20) {
        self.count = count
        self.cost = cost
    }

    /// Returns the conversion for `key`, and removes it from the cache if it is a transform.
    mutating func take(_ key: ColorTransformKey) -> Conversion? {
        guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        if case .identity = entry.conversion { entries.append(entry) } else { totalCost -= key.cost }
        return entry.conversion
    }

    /// Adds a conversion, and evicts the least recently used ones beyond the limits.
    ///
    /// - Returns: The evicted conversions, or `conversion` itself if it is too large for the cache.
    mutating func put(_ key: ColorTransformKey, _ conversion: Conversion) -> [Conversion] {
        guard key.cost <= cost else { return [conversion] }
        entries.append(Entry(key: key, conversion: conversion))
        totalCost += key.cost
        var evicted: [Conversion] = []
        while entries.count > count || totalCost > cost {
            let entry = entries.removeFirst()
            totalCost -= entry.key.cost
            evicted.append(entry.conversion)
        }
        return evicted
    }
}

/// The source colours and channels of a ``ColorTransform``. Two profiles are equal only if all their bytes are.
struct ColorTransformKey: Equatable, Sendable {
    /// The source colours as bytes. They are a copy: a slice would keep the whole file in memory.
    private let source: [UInt8]
    let channels: SourceChannels

    init(_ colors: SourceColors, _ channels: SourceChannels) {
        source = Self.bytes(of: colors)
        self.channels = channels
    }

    /// An upper bound of the memory in bytes of the entry: the profile's bytes, and the transform.
    ///
    /// The transform has a table of 33³ or 17⁴ colours and its curves, or, where lcms2 makes no table, the profile's
    /// own tables in 16 bits.
    var cost: Int { (1 << 20) + 3 * source.count }

    /// Encodes `colors`; the first byte identifies the case.
    private static func bytes(of colors: SourceColors) -> [UInt8] {
        switch colors {
        case .standard: [0]
        case .profile(let profile): [1] + profile
        case .codePoints(let primaries, let transfer): [2] + bytes(of: [Double(primaries), Double(transfer)])
        case .measured(let gamma, let primaries):
            [3] + bytes(of: [gamma == nil ? 0 : 1, gamma ?? 0] + primaries.all.flatMap { [$0.x, $0.y] })
        }
    }

    private static func bytes(of numbers: [Double]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }
}

extension Chromaticities {
    fileprivate var all: [Point] { [white, red, green, blue] }
}
