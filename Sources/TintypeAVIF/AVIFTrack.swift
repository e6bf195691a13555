import TintypeCore

/// The track of a sequence that libavif shows (ISO/IEC 14496-12, 8.6), for the durations of its frames: libavif adds up
/// those of all earlier frames for each one.
struct AVIFTrack {
    /// Time units a second.
    private let timeScale: Int
    /// The list of durations, after its version; `nil` if the track has none.
    private let durations: Range<Int>?

    /// Finds the track: the first one with samples that belongs to no other, such as alpha.
    ///
    /// - Returns: `nil` for a file without such a track.
    /// - Throws: `TintypeError.Code.undecodable` for damaged boxes.
    init?(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        for movie in file.intactBoxes(in: 0..<bytes.count) where movie.kind == "moov" {
            for track in try file.boxes(in: movie.body) where track.kind == "trak" {
                guard let media = try Self.shownMedia(file, track.body) else { continue }
                let table = try file.sampleTable(ofMedia: media)
                timeScale = try file.timeScale(ofMedia: media)
                durations = try file.box("stts", in: table)?.fullBody
                return
            }
        }
        return nil
    }

    /// Returns the media of a track; `nil` for one that libavif does not show.
    private static func shownMedia(_ file: ISOFile, _ track: Range<Int>) throws(TintypeError) -> Range<Int>? {
        guard let media = try file.box("mdia", in: track)?.body,
            let information = try file.box("minf", in: media)?.body,
            let table = try file.box("stbl", in: information)?.body,
            let entries = try file.box("stsd", in: table)?.fullBody,
            try file.box("tkhd", in: track) != nil, try file.identifier(ofTrack: track) != 0,
            try file.references(ofTrack: track, kind: "auxl").first ?? 0 == 0
        else { return nil }
        let isAV1 = try file.boxes(in: min(entries.lowerBound + 4, entries.upperBound)..<entries.upperBound)
            .contains { $0.kind == "av01" }
        return isAV1 ? media : nil
    }

    /// Returns the duration of each frame in seconds. The last run includes all further frames, as in libavif.
    func durations(_ bytes: UnsafeRawBufferPointer, count: Int) throws(TintypeError) -> [Double] {
        let file = ISOFile(bytes: bytes)
        var ticks: [Int] = []
        if let body = durations {
            let runs = try file.number(at: body.lowerBound, in: body)
            for run in 0..<runs {
                let offset = body.lowerBound + 4 + 8 * run
                let length = run + 1 < runs ? try file.number(at: offset, in: body) : count
                let duration = try file.number(at: offset + 4, in: body)
                ticks += repeatElement(duration, count: min(length, count - ticks.count))
            }
        }
        ticks += repeatElement(1, count: count - ticks.count)
        return ticks.map { timeScale > 0 ? Double($0) / Double(timeScale) : 0 }
    }
}

extension ISOFile {
    /// Returns the time units a second of a track (ISO/IEC 14496-12, 8.4.2); 0 if it does not say.
    fileprivate func timeScale(ofMedia media: Range<Int>) throws(TintypeError) -> Int {
        guard let header = try box("mdhd", in: media)?.body else { return 0 }
        let isLong = try number(at: header.lowerBound, size: 1, in: header) == 1
        return try number(at: header.lowerBound + (isLong ? 20 : 12), in: header)
    }
}
