import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// The metadata chunks before the pixels, and Exif data after them, read in place. libpng does not read them.
struct PNGMetadata {
    private let bytes: UnsafeRawBufferPointer
    /// The data of the first chunk of each kind whose checksum is right.
    private var ranges: [PNGChunk.Kind: Range<Int>] = [:]

    /// Whether the Exif data come after the pixels, where ImageMagick writes them (PNG third edition, 5.6, forbids
    /// that).
    private(set) var isExifLate = false

    /// Reads the chunks up to the pixels.
    ///
    /// - Parameters:
    ///   - bytes: A file whose header was read; must outlive this value.
    ///   - isComplete: Whether Exif data are also looked for after the pixels.
    init(_ bytes: UnsafeRawBufferPointer, isComplete: Bool = false) {
        self.bytes = bytes
        var chunks = PNGChunks(bytes)
        while let chunk = try? chunks.next(), chunk.kind != .imageData, chunk.kind != .end { record(chunk) }
        guard isComplete, ranges[.exif] == nil else { return }
        while let chunk = try? chunks.next(), chunk.kind != .end {
            guard chunk.kind == .exif, chunk.data.count <= Self.maximumLateByteCount else { continue }
            record(chunk)
            isExifLate = ranges[.exif] != nil
        }
    }

    private static let maximumLateByteCount = DecodeLimits().exifBytes

    /// The kinds that are read, and the smallest length of their data in bytes.
    private static let lengths: [PNGChunk.Kind: Int] = [
        .colorProfile: 3, .standardColors: 1, .gamma: 4, .chromaticities: 32, .codePoints: 4, .lightLevel: 8,
        .density: 9, .exif: 8, .internationalText: 22,
    ]

    private mutating func record(_ chunk: PNGChunk) {
        guard let kind = chunk.kind, let length = Self.lengths[kind], chunk.data.count >= length, ranges[kind] == nil,
            kind != .internationalText || bytes[chunk.data].starts(with: MetadataReader.xmpKeyword),
            (try? chunk.check(in: bytes)) != nil
        else { return }
        ranges[kind] = chunk.data
    }

    /// Returns the 32-bit number at `index` in a chunk, or `nil` without such a chunk.
    private func number(_ kind: PNGChunk.Kind, _ index: Int = 0) -> Double? {
        ranges[kind].map { Double(bytes.bigEndian32(at: $0.lowerBound + 4 * index)) }
    }

    // MARK: Contents

    /// The Exif data, or `nil`.
    var exif: ExifData? { ranges[.exif].flatMap { ExifData(Data(bytes[$0])) } }

    /// The XMP packet, if it is not compressed, or `nil`.
    var xmp: XMPPacket? {
        ranges[.internationalText].flatMap {
            XMPPacket(Data(bytes[$0.dropFirst(MetadataReader.xmpKeyword.count)]))
        }
    }

    /// The pixel density of the pHYs chunk if its unit is the metre, otherwise that of the Exif data.
    var density: PixelDensity? {
        guard let range = ranges[.density], bytes[range.lowerBound + 8] == 1, let across = number(.density),
            let down = number(.density, 1)
        else { return exif?.density }
        let inch = PixelDensity.metresAnInch
        return PixelDensity(across: across * inch, down: down * inch)
    }

    /// The brightest light of the image in cd/m². cLLI stores ten-thousandths.
    var peak: Double? { number(.lightLevel).flatMap { $0 > 0 ? $0 / 10_000 : nil } }

    /// Returns the colours that the file states.
    ///
    /// The first of cICP, iCCP, sRGB, and gAMA with cHRM counts (PNG third edition, 4.3).
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the profile is too large, before memory is allocated for it.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        if let codePoints { return codePoints }
        if let profile = try profile(limits) { return .profile(profile) }
        return ranges[.standardColors] == nil ? measured : .standard
    }

    private var codePoints: SourceColors? {
        ranges[.codePoints].map { chunk in
            .codePoints(primaries: Int(bytes[chunk.lowerBound]), transfer: Int(bytes[chunk.lowerBound + 1]))
        }
    }

    /// Whether the colours are in PQ or HLG.
    var isHighRange: Bool { codePoints?.isHighRange == true }

    // MARK: Numbers

    /// The value of gAMA for sRGB, in hundred-thousandths.
    ///
    /// With the primaries of sRGB it stands for the curve of sRGB, as writers intend and libpng assumes.
    private static let standardGamma = 45455.0

    private var measured: SourceColors {
        let primaries = measuredPrimaries ?? .standard
        let gamma = number(.gamma) ?? Self.standardGamma
        let isStandardCurve = abs(gamma / Self.standardGamma - 1) < 0.01
        guard !isStandardCurve else { return primaries.isStandard ? .standard : .measured(gamma: nil, primaries) }
        return .measured(gamma: gamma / 100_000, primaries)
    }

    private var measuredPrimaries: Chromaticities? {
        func point(_ index: Int) -> Chromaticities.Point? {
            guard let x = number(.chromaticities, index), let y = number(.chromaticities, index + 1) else { return nil }
            return Chromaticities.Point(x / 100_000, y / 100_000)
        }
        guard let white = point(0), let red = point(2), let green = point(4), let blue = point(6) else { return nil }
        return Chromaticities(white: white, red: red, green: green, blue: blue)
    }

    // MARK: The profile

    /// Inflates the profile: a name, a zero byte, the compression method, and a zlib stream (PNG third edition,
    /// 11.3.2.3).
    private func profile(_ limits: DecodeLimits) throws(TintypeError) -> Data? {
        guard let range = ranges[.colorProfile],
            let nameEnd = bytes[range].prefix(80).firstIndex(of: 0), nameEnd + 2 < range.upperBound,
            bytes[nameEnd + 1] == 0
        else { return nil }
        let stream = UnsafeRawBufferPointer(rebasing: bytes[nameEnd + 2..<range.upperBound])
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
