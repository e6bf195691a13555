import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// What the chunks before the pixels say of colours and of the picture; libpng is not asked to read these.
struct PNGMetadata {
    private let bytes: UnsafeRawBufferPointer
    /// The first whole chunk of each kind.
    private var places: [PNGChunk.Kind: Range<Int>] = [:]

    /// - Parameter bytes: of a file whose header was read; must outlive this.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        var chunks = PNGChunks(bytes)
        while let chunk = try? chunks.next(), chunk.kind != .imageData, chunk.kind != .end { take(chunk) }
    }

    /// The kinds that are told of here, with the bytes that they have at least.
    private static let lengths: [PNGChunk.Kind: Int] = [
        .colorProfile: 3, .standardColors: 1, .gamma: 4, .chromaticities: 32, .codePoints: 4, .lightLevel: 8,
        .density: 9, .exif: 8,
    ]

    private mutating func take(_ chunk: PNGChunk) {
        guard let kind = chunk.kind, let length = Self.lengths[kind], chunk.data.count >= length, places[kind] == nil,
            (try? chunk.check(in: bytes)) != nil
        else { return }
        places[kind] = chunk.data
    }

    private func number(_ kind: PNGChunk.Kind, _ index: Int = 0) -> Double? {
        places[kind].map { Double(bytes.bigEndian32(at: $0.lowerBound + 4 * index)) }
    }

    // MARK: Contents

    var exif: ExifData? { places[.exif].flatMap { ExifData(Data(bytes[$0])) } }

    /// Pixels a metre; where the unit is not that, the numbers only tell the shape of a pixel.
    var density: PixelDensity? {
        guard let place = places[.density], bytes[place.lowerBound + 8] == 1, let across = number(.density),
            let down = number(.density, 1)
        else { return exif?.density }
        let inch = PixelDensity.metresAnInch
        return PixelDensity(across: across * inch, down: down * inch)
    }

    /// The brightest light of the picture, in cd/m²: a ten-thousandth is the unit of cLLI.
    var peak: Double? { number(.lightLevel).flatMap { $0 > 0 ? $0 / 10_000 : nil } }

    /// What counts is what comes first of cICP, iCCP, sRGB, and gAMA with cHRM (PNG third edition, 4.3).
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a profile that is too large, before there is memory for it.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        if let place = places[.codePoints]?.lowerBound {
            return .codePoints(primaries: Int(bytes[place]), transfer: Int(bytes[place + 1]))
        }
        if let profile = try profile(limits) { return .profile(profile) }
        return places[.standardColors] == nil ? measured : .standard
    }

    // MARK: Numbers

    /// The gamma of sRGB as gAMA has it, in hundred-thousandths. With the primaries of sRGB it stands for the curve of sRGB,
    /// as writers mean it and as libpng takes it.
    private static let standardGamma = 45455.0

    private var measured: SourceColors {
        let places = measuredPlaces ?? .standard
        let gamma = number(.gamma) ?? Self.standardGamma
        let isStandardCurve = abs(gamma / Self.standardGamma - 1) < 0.01
        guard !isStandardCurve else { return places.isStandard ? .standard : .measured(gamma: nil, places) }
        return .measured(gamma: gamma / 100_000, places)
    }

    private var measuredPlaces: Chromaticities? {
        func point(_ index: Int) -> Chromaticities.Point? {
            guard let x = number(.chromaticities, index), let y = number(.chromaticities, index + 1) else { return nil }
            return Chromaticities.Point(x / 100_000, y / 100_000)
        }
        guard let white = point(0), let red = point(2), let green = point(4), let blue = point(6) else { return nil }
        return Chromaticities(white: white, red: red, green: green, blue: blue)
    }

    // MARK: The profile

    /// A name, a zero, the method of compression, and the stream (PNG third edition, 11.3.2.3).
    private func profile(_ limits: DecodeLimits) throws(TintypeError) -> Data? {
        guard let place = places[.colorProfile],
            let nameEnd = bytes[place].prefix(80).firstIndex(of: 0), nameEnd + 2 < place.upperBound,
            bytes[nameEnd + 1] == 0
        else { return nil }
        let stream = UnsafeRawBufferPointer(rebasing: bytes[nameEnd + 2..<place.upperBound])
        var count = 0
        let status = Self.inflate(stream, nil, limits.profileBytes, &count)
        try limits.check(profileBytes: count)
        guard status == .ok else { return nil }
        var profile = Data(count: count)
        let filled = profile.withUnsafeMutableBytes { Self.inflate(stream, $0.baseAddress, $0.count, &count) }
        return filled == .ok ? profile : nil
    }

    private static func inflate(
        _ stream: UnsafeRawBufferPointer, _ target: UnsafeMutableRawPointer?, _ capacity: Int, _ count: inout Int
    ) -> tintype_png_status {
        guard let base = stream.bindMemory(to: UInt8.self).baseAddress else { return .corrupt }
        return tintype_png_inflate(
            base, stream.count, target?.assumingMemoryBound(to: UInt8.self), capacity, &count)
    }
}
