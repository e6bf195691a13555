import Foundation
import TintypeColor
import TintypeCore

/// The image sequence of a file (ISO/IEC 23008-12, 7): a track of images and, if there is one, a track of their alpha.
struct HEIFSequence {
    let colorTrack: HEIFTrack
    /// Has one sample for each sample of ``colorTrack``.
    let alphaTrack: HEIFTrack?
    /// Whether colours are premultiplied by alpha.
    let isPremultiplied: Bool
    /// The number of frames whose colours and alpha are both in the file.
    let frameCount: Int

    /// Reads the sequence of a file.
    ///
    /// - Parameter allowsTruncation: Whether the last frames may be missing. Otherwise a truncated file is an error.
    /// - Returns: `nil` if the file has no sequence.
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.Code.limitExceeded`, before memory is allocated for
    ///   what the file declares.
    init?(
        _ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits, allowsTruncation: Bool = false
    ) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        guard let (track, media) = try file.imageTrack() else { return nil }
        colorTrack = try HEIFTrack(file, track, media, limits, allowsTruncation: allowsTruncation)
        guard let alpha = try Self.findAlphaTrack(file, of: track) else {
            (alphaTrack, isPremultiplied, frameCount) = (nil, false, colorTrack.displayOrder.count)
            return
        }
        let alphaTrack = try HEIFTrack(file, alpha.track, alpha.media, limits, allowsTruncation: allowsTruncation)
        guard alphaTrack.size == colorTrack.size,
            allowsTruncation || alphaTrack.displayOrder.count == colorTrack.displayOrder.count
        else {
            throw TintypeError(
                .undecodable, stage: .decode, "the alpha track of the HEIC sequence does not match its images")
        }
        self.alphaTrack = alphaTrack
        isPremultiplied = try file.references(ofTrack: track, kind: "prem").contains(
            file.identifier(ofTrack: alpha.track))
        frameCount = min(colorTrack.displayOrder.count, alphaTrack.displayOrder.count)
    }

    private static func findAlphaTrack(
        _ file: ISOFile, of track: Range<Int>
    ) throws(TintypeError) -> (track: Range<Int>, media: Range<Int>)? {
        for (track, media) in try file.auxiliaryTracks(of: track) {
            // Auxiliary tracks of another kind, such as depth, may be coded in any way: errors in them are ignored.
            let isAlpha = try? HEIFSampleEntry(file, inTable: file.sampleTable(ofMedia: media)).isAlpha(file)
            if isAlpha == true { return (track, media) }
        }
        return nil
    }

    var info: ImageInfo {
        var info = colorTrack.info
        info.hasAlpha = alphaTrack != nil
        info.frameCount = frameCount
        info.durations = frameCount > 1 ? Array(info.durations.prefix(frameCount)) : []
        info.loopCount = frameCount > 1 ? info.loopCount : 0
        return info
    }
}

/// One HEVC track of a file with image sequences (ISO/IEC 23008-12, 7).
struct HEIFTrack {
    /// The size of the decoded images in pixels, without the padding that the stream crops.
    let codedSize: PixelSize
    /// The part of them that is shown, before rotation.
    let crop: PixelRect
    let orientation: Orientation
    /// The byte ranges of the parameter sets, one NAL unit each.
    let parameterSets: [Range<Int>]
    /// The size in bytes of the length field before each NAL unit of a sample.
    let lengthSize: Int
    /// The samples in decoding order.
    let samples: [HEIFSampleTable.Sample]
    /// The index of the sample that is shown at each position.
    let displayOrder: [Int]
    /// The position at which each sample is shown; -1 if it follows a missing sample.
    let displayIndices: [Int]
    /// Time units a second.
    let timeScale: Int
    let colors: HEIFTrackColors
    /// The total number of plays; 0 is forever.
    let playCount: Int

    /// Whether the file type box names a brand of image sequences.
    static func hasSequenceBrand(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let file = ISOFile(bytes: bytes)
        guard bytes.count >= 12, let size = try? file.number(at: 0, in: 0..<bytes.count), size >= 12 else {
            return false
        }
        return stride(from: 8, to: min(size, bytes.count, 256) - 3, by: 4).contains { offset in
            offset != 12 && brands.contains(String(decoding: bytes[offset..<offset + 4], as: UTF8.self))
        }
    }

    private static let brands: Set<String> = ["msf1", "hevc", "hevx", "hevm", "hevs"]

    /// Reads a track.
    ///
    /// - Parameters:
    ///   - track: The body of the track box.
    ///   - media: The body of its media box.
    ///   - allowsTruncation: Whether the last samples may be missing.
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.Code.limitExceeded`, before memory is allocated for
    ///   what the file declares.
    init(
        _ file: ISOFile, _ track: Range<Int>, _ media: Range<Int>, _ limits: DecodeLimits, allowsTruncation: Bool
    ) throws(TintypeError) {
        let table = try file.sampleTable(ofMedia: media)
        let entry = try HEIFSampleEntry(file, inTable: table)
        (codedSize, crop) = (entry.size, entry.crop)
        (parameterSets, lengthSize) = (entry.parameterSets, entry.lengthSize)
        colors = try HEIFTrackColors(file, entry.properties, limits)
        try limits.check(ImageInfo(format: .heic, size: entry.size))
        orientation = try Self.orientation(file, try file.requiredBox("tkhd", in: track).body)
        playCount = try file.playCount(ofTrack: track)
        let header = try file.requiredBox("mdhd", in: media).body
        let isLong = try file.number(at: header.lowerBound, size: 1, in: header) == 1
        timeScale = max(1, try file.number(at: header.lowerBound + (isLong ? 20 : 12), in: header))
        let sampleTable = try HEIFSampleTable(file, table, limits, allowsTruncation: allowsTruncation)
        samples = sampleTable.samples
        displayOrder = Self.displayOrder(sampleTable)
        guard !displayOrder.isEmpty else { throw .damagedSequence }
        var displayIndices = [Int](repeating: -1, count: samples.count)
        for (index, sample) in displayOrder.enumerated() { displayIndices[sample] = index }
        self.displayIndices = displayIndices
    }

    private static func displayOrder(_ table: HEIFSampleTable) -> [Int] {
        let samples = table.samples
        return samples.indices.filter { samples[$0].compositionTime < table.firstMissingTime ?? .max }
            .sorted { (samples[$0].compositionTime, $0) < (samples[$1].compositionTime, $1) }
    }

    /// Reads the matrix of a track header (ISO/IEC 14496-12, 6.2.2 and 8.3.2): a rotation by quarters, mirrored or not.
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

    // MARK: Properties

    /// The size of the shown part in pixels, before rotation.
    var size: PixelSize { crop.size }

    /// The duration of each frame in seconds, in display order.
    var durations: [Double] {
        displayOrder.indices.map { index in
            let sample = samples[displayOrder[index]]
            guard index + 1 < displayOrder.count else { return Double(sample.duration) / Double(timeScale) }
            let next = samples[displayOrder[index + 1]]
            return Double(next.compositionTime - sample.compositionTime) / Double(timeScale)
        }
    }

    var info: ImageInfo {
        let isAnimated = displayOrder.count > 1
        return ImageInfo(
            format: .heic, size: orientation.displayed(size), orientation: orientation, frameCount: displayOrder.count,
            loopCount: isAnimated ? playCount : 0, durations: isAnimated ? durations : [])
    }

    /// Returns the nearest sync sample at or before a sample; decoding can begin there.
    func syncSample(before sample: Int) -> Int { samples[...sample].lastIndex { $0.isSync } ?? 0 }
}
