import Foundation
import TintypeCore

/// The movie box of an image sequence (ISO/IEC 14496-12, 8.2; ISO/IEC 23008-12, 7): a track of images, and one of
/// alpha.
struct HEIFMovie {
    /// One track, all samples of which are decoded without others.
    struct Track {
        var configuration: Data
        /// The offset of each sample in the media data, and its size, in bytes.
        var samples: [(offset: Int, count: Int)] = []
    }

    /// The unit of time: ticks a second.
    static let ticksPerSecond = 1000
    /// A duration that has no end.
    private static let endless = -1

    /// The size of the images in pixels.
    let size: PixelSize
    /// The size to which a decoder crops them: the next even numbers.
    let decodedSize: PixelSize
    let color: Track
    /// Has as many samples as ``color``.
    let alpha: Track?
    /// The duration of each sample in ticks.
    let ticks: [Int]
    /// The number of plays; 0 is forever.
    let plays: Int
    /// The code point of the primaries (ITU-T H.273, table 2).
    let primaries: Int
    /// The colour profile, if the images have one.
    let profile: Data?

    /// Returns the box.
    ///
    /// - Parameter mediaOffset: The offset of the media data in the file.
    func box(mediaOffset: Int) -> Data {
        var tracks = track(color, number: 1, isAlpha: false, mediaOffset)
        if let alpha { tracks += track(alpha, number: 2, isAlpha: true, mediaOffset) }
        return .box("moov", header(nextTrack: alpha == nil ? 2 : 3), tracks)
    }

    // MARK: Time

    /// The duration of one play, in ticks.
    private var round: Int { ticks.reduce(0, +) }

    /// The duration of all plays, in ticks (ISO/IEC 23008-12, 7.2.1).
    private var total: Int {
        let (product, overflow) = round.multipliedReportingOverflow(by: plays)
        return plays == 0 || overflow ? Self.endless : product
    }

    /// A unit matrix (ISO/IEC 14496-12, 6.2.2): no rotation.
    private static let matrix = Data.numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000)

    private func header(nextTrack: Int) -> Data {
        .fullBox(
            "mvhd", version: 1, .numbers(0, 0, size: 8), .numbers(Self.ticksPerSecond), .numbers(total, size: 8),
            .numbers(0x10000), .numbers(0x100, 0, size: 2), Data(count: 8), Self.matrix, Data(count: 24),
            .numbers(nextTrack))
    }

    /// An edit list of one play that repeats (8.6.6). The duration of the track ends the repetition.
    private var edits: Data {
        let edit = Data.numbers(1) + Data.numbers(round, 0, size: 8) + Data.numbers(0x10000)
        return .box("edts", .fullBox("elst", version: 1, flags: 1, edit))
    }

    /// Returns the durations, run-length coded.
    private var durations: Data {
        var runs: [Int] = []
        for duration in ticks {
            if runs.last == duration { runs[runs.count - 2] += 1 } else { runs += [1, duration] }
        }
        return .fullBox("stts", .numbers(runs.count / 2), .numbers(runs))
    }

    // MARK: Tracks

    private func track(_ track: Track, number: Int, isAlpha: Bool, _ mediaOffset: Int) -> Data {
        // Enabled; only the images themselves are shown (8.3.2).
        let header = Data.fullBox(
            "tkhd", version: 1, flags: isAlpha ? 1 : 3, .numbers(0, 0, size: 8), .numbers(number, 0),
            .numbers(total, size: 8), Data(count: 16), Self.matrix, .numbers(size.width << 16, size.height << 16))
        let reference = isAlpha ? Data.box("tref", .box("auxl", .numbers(1))) : Data()
        let mediaHeader = Data.fullBox(
            "mdhd", version: 1, .numbers(0, 0, size: 8), .numbers(Self.ticksPerSecond), .numbers(round, size: 8),
            .numbers(Self.undeterminedLanguage, 0, size: 2))
        let handler = Data.fullBox(
            "hdlr", .numbers(0), Data((isAlpha ? "auxv" : "pict").utf8), Data(count: 12), Data([0]))
        // The samples are in the same file.
        let location = Data.box("dinf", .fullBox("dref", .numbers(1), .fullBox("url ", flags: 1)))
        let table = sampleTable(track, isAlpha: isAlpha, mediaOffset)
        let information = Data.box("minf", .fullBox("vmhd", flags: 1, Data(count: 8)), location, table)
        return .box("trak", header, reference, edits, .box("mdia", mediaHeader, handler, information))
    }

    /// "und", three letters of five bits each (8.4.2).
    private static let undeterminedLanguage = 0x55C4

    /// Returns the description of the samples (8.5 to 8.7). Without `stss`, each can be decoded alone.
    private func sampleTable(_ track: Track, isAlpha: Bool, _ mediaOffset: Int) -> Data {
        let count = track.samples.count
        return .box(
            "stbl", .fullBox("stsd", .numbers(1), sampleEntry(track, isAlpha: isAlpha)), durations,
            // Each chunk has one sample.
            .fullBox("stsc", .numbers(1, 1, 1, 1)),
            .fullBox("stsz", .numbers(0, count), .numbers(track.samples.map(\.count))),
            .fullBox("stco", .numbers(count), .numbers(track.samples.map { mediaOffset + $0.offset })))
    }

    // MARK: Sample entries

    private static let alphaKind = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"

    /// Returns the description of the coding of a track (12.1.3; ISO/IEC 14496-15, 8.3.2).
    private func sampleEntry(_ track: Track, isAlpha: Bool) -> Data {
        let head =
            Data(count: 6) + Data.numbers(1, size: 2) + Data(count: 16)
            + Data.numbers(decodedSize.width, decodedSize.height, size: 2) + Data.numbers(72 << 16, 72 << 16, 0)
            + Data.numbers(1, size: 2) + Data(count: 32) + Data.numbers(24, -1, size: 2)
        // All images are coded without others (ISO/IEC 23008-12, 7.2.3).
        let constraints = Data.fullBox("ccst", .numbers(0xC000_0000))
        let kind = isAlpha ? Data.fullBox("auxi", Data(Self.alphaKind.utf8)) : colors
        return .box("hvc1", head, .box("hvcC", track.configuration), kind, aperture, constraints)
    }

    /// The meaning of the colours (ISO/IEC 14496-12, 12.1.5): the curve of sRGB, and the matrix of BT.601 with the full
    /// range of values, with which libheif converts them.
    private var colors: Data {
        let codes = Data.box("colr", Data("nclx".utf8), .numbers(primaries, 13, 6, size: 2), Data([0x80]))
        guard let profile, !profile.isEmpty else { return codes }
        return codes + .box("colr", Data("prof".utf8), profile)
    }

    /// The part of the decoded images that is shown, at their top left corner (12.1.4), if it is not all.
    private var aperture: Data {
        guard decodedSize != size else { return Data() }
        let shown = Data.numbers(size.width, 1, size.height, 1)
        return .box(
            "clap", shown, .numbers(size.width - decodedSize.width, 2, size.height - decodedSize.height, 2))
    }
}
