import Foundation
import TintypeColor
import TintypeCore

/// The image sequence of a file (ISO/IEC 23008-12, 7): a track of pictures, and one of their alpha where there is such.
struct HEIFSequence {
    let colors: HEIFTrack
    /// Has a picture for each of those.
    let alpha: HEIFTrack?
    /// Whether colours are multiplied by alpha already.
    let isPremultiplied: Bool
    /// Those that have all that belongs to them.
    let frameCount: Int

    /// What a whole file has; `nil` when there is none.
    ///
    /// - Parameter keepsPart: whether the last frames need not be there.
    /// - Throws: ``TintypeError/Code/undecodable``, and ``TintypeError/Code/limitExceeded`` before there is memory for what
    ///   the file promises.
    init?(
        _ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits, keepsPart: Bool = false
    ) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        guard let (track, media) = try file.pictureTrack() else { return nil }
        colors = try HEIFTrack(file, track, media, limits, keepsPart: keepsPart)
        guard let found = try Self.alphaTrack(file, of: track) else {
            (alpha, isPremultiplied, frameCount) = (nil, false, colors.order.count)
            return
        }
        let alpha = try HEIFTrack(file, found.track, found.media, limits, keepsPart: keepsPart)
        guard alpha.size == colors.size, keepsPart || alpha.order.count == colors.order.count else {
            throw TintypeError(
                .undecodable, stage: .decode, "the alpha of a HEIC sequence does not belong to its pictures")
        }
        self.alpha = alpha
        isPremultiplied = try file.references(ofTrack: track, kind: "prem").contains(
            file.identifier(ofTrack: found.track))
        frameCount = min(colors.order.count, alpha.order.count)
    }

    private static func alphaTrack(
        _ file: ISOFile, of track: Range<Int>
    ) throws(TintypeError) -> (track: Range<Int>, media: Range<Int>)? {
        for (track, media) in try file.auxiliaryTracks(of: track) {
            // One of another kind, as of depths, may be coded in any way.
            let isAlpha = try? HEIFSampleEntry(file, inTable: file.sampleTable(ofMedia: media)).isAlpha(file)
            if isAlpha == true { return (track, media) }
        }
        return nil
    }

    var info: ImageInfo {
        var info = colors.info
        info.hasAlpha = alpha != nil
        info.frameCount = frameCount
        info.durations = frameCount > 1 ? Array(info.durations.prefix(frameCount)) : []
        info.loopCount = frameCount > 1 ? info.loopCount : 0
        return info
    }
}

/// A track of HEVC pictures in a file with image sequences (ISO/IEC 23008-12, 7).
struct HEIFTrack {
    /// The size of the stored pictures.
    let size: PixelSize
    let orientation: Orientation
    /// Places of the parameter sets, each a NAL unit.
    let parameterSets: [Range<Int>]
    /// Bytes of the number before each NAL unit of a sample, which tells how many it has.
    let lengthSize: Int
    let samples: [HEIFSampleTable.Sample]
    /// The sample that is shown at each place, and where each sample is shown: below 0 for one after a gap.
    let order: [Int]
    let shownPlaces: [Int]
    /// Units of time in a second.
    let timeScale: Int
    let description: HEIFTrackColors
    /// The total number of plays; 0 is forever.
    let playCount: Int

    /// Whether the first bytes are those of a file with image sequences.
    static func isNamed(in bytes: UnsafeRawBufferPointer) -> Bool {
        let file = ISOFile(bytes: bytes)
        guard bytes.count >= 12, let size = try? file.number(at: 0, in: 0..<bytes.count), size >= 12 else {
            return false
        }
        return stride(from: 8, to: min(size, bytes.count, 256) - 3, by: 4).contains { place in
            place != 12 && brands.contains(String(decoding: bytes[place..<place + 4], as: UTF8.self))
        }
    }

    private static let brands: Set<String> = ["msf1", "hevc", "hevx", "hevm", "hevs"]

    /// - Parameters:
    ///   - track: the body of its box, and of that of its media.
    ///   - keepsPart: whether the last frames need not be there.
    /// - Throws: ``TintypeError/Code/undecodable``, and ``TintypeError/Code/limitExceeded`` before there is memory for what
    ///   the file promises.
    init(
        _ file: ISOFile, _ track: Range<Int>, _ media: Range<Int>, _ limits: DecodeLimits, keepsPart: Bool
    ) throws(TintypeError) {
        let table = try file.sampleTable(ofMedia: media)
        let entry = try HEIFSampleEntry(file, inTable: table)
        (size, parameterSets, lengthSize) = (entry.size, entry.parameterSets, entry.lengthSize)
        description = try HEIFTrackColors(file, entry.properties, limits)
        try limits.check(ImageInfo(format: .heic, size: entry.size))
        orientation = try Self.orientation(file, try file.needed("tkhd", in: track).body)
        playCount = try file.playCount(ofTrack: track)
        let header = try file.needed("mdhd", in: media).body
        let isLong = try file.number(at: header.lowerBound, size: 1, in: header) == 1
        timeScale = max(1, try file.number(at: header.lowerBound + (isLong ? 20 : 12), in: header))
        let samples = try HEIFSampleTable(file, table, limits, keepsPart: keepsPart)
        self.samples = samples.samples
        order = Self.order(samples)
        guard !order.isEmpty else { throw .damagedSequence }
        var shownPlaces = [Int](repeating: -1, count: self.samples.count)
        for (place, sample) in order.enumerated() { shownPlaces[sample] = place }
        self.shownPlaces = shownPlaces
    }

    private static func order(_ table: HEIFSampleTable) -> [Int] {
        let samples = table.samples
        return samples.indices.filter { samples[$0].shownAt < table.missingFrom ?? .max }
            .sorted { (samples[$0].shownAt, $0) < (samples[$1].shownAt, $1) }
    }

    /// What the matrix of a track says (ISO/IEC 14496-12, 6.2.2 and 8.3.2): a turn by quarters, mirrored or not.
    private static func orientation(_ file: ISOFile, _ header: Range<Int>) throws(TintypeError) -> Orientation {
        let isLong = try file.number(at: header.lowerBound, size: 1, in: header) == 1
        let start = header.lowerBound + (isLong ? 52 : 40)
        var signs: [Int] = []
        for offset in [0, 4, 12, 16] {
            let number = Int32(truncatingIfNeeded: try file.number(at: start + offset, in: header))
            signs.append(Int(number.signum()))
        }
        return matrices.first { $0.signs == signs }?.orientation ?? .up
    }

    private static let matrices: [(signs: [Int], orientation: Orientation)] = [
        ([1, 0, 0, 1], .up), ([-1, 0, 0, 1], .upMirrored), ([-1, 0, 0, -1], .down), ([1, 0, 0, -1], .downMirrored),
        ([0, 1, 1, 0], .leftMirrored), ([0, 1, -1, 0], .right), ([0, -1, -1, 0], .rightMirrored),
        ([0, -1, 1, 0], .left),
    ]

    // MARK: What it says

    /// Seconds of each frame, in the order in which they are shown.
    var durations: [Double] {
        order.indices.map { place in
            let sample = samples[order[place]]
            guard place + 1 < order.count else { return Double(sample.duration) / Double(timeScale) }
            return Double(samples[order[place + 1]].shownAt - sample.shownAt) / Double(timeScale)
        }
    }

    var info: ImageInfo {
        ImageInfo(
            format: .heic, size: orientation.displayed(size), orientation: orientation, frameCount: order.count,
            loopCount: order.count > 1 ? playCount : 0, durations: order.count > 1 ? durations : [])
    }

    /// The nearest sample from which one can be decoded.
    func syncSample(before sample: Int) -> Int { samples[...sample].lastIndex { $0.isSync } ?? 0 }
}
