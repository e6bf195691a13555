import TintypeCore

/// The AV1 tracks of a file, read before libavif reads them and as it does (ISO/IEC 14496-12, 8.6 and 8.7).
///
/// libavif walks the list of runs again for each chunk and each frame, so the length of the lists is checked first.
struct AVIFTracks {
    /// In the order of the file.
    let all: [AVIFTrack]

    /// Runs that a list may have, unless the limits allow more frames. Writers add no runs without frames.
    private static let maxRuns = 10_000

    /// - Throws: ``TintypeError/Code/limitExceeded`` if a list of a track is too long;
    ///   ``TintypeError/Code/undecodable`` for damaged boxes, and for tables that occur twice.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        let boxes = file.intactBoxes(in: 0..<bytes.count)
        guard boxes.count < ISOFile.maxBoxes else { throw .suspectStructure }
        var all: [AVIFTrack] = []
        for movie in boxes where movie.kind == "moov" {
            for track in try file.boxes(in: movie.body) where track.kind == "trak" {
                guard let track = try AVIFTrack(file, track.body) else { continue }
                try track.checkRuns(file, atMost: max(limits.frames, Self.maxRuns))
                if track.isAV1 { all.append(track) }
            }
        }
        self.all = all
    }

    /// The track that libavif shows; `nil` if there is none.
    var color: AVIFTrack? { all.first { !$0.isAuxiliary } }
}

/// One track of a file with image sequences.
struct AVIFTrack {
    /// Whether the track belongs to another one, such as alpha.
    let isAuxiliary: Bool
    let isAV1: Bool
    /// Time units a second.
    private let timeScale: Int
    /// The bodies of the boxes, after their versions.
    private let durations: Range<Int>?
    private let chunkRuns: Range<Int>?
    private let sizes: Range<Int>
    private let offsets: Range<Int>
    /// Bytes of an offset.
    private let offsetSize: Int

    /// - Returns: `nil` for a track without samples, chunks or identifier, which libavif skips.
    /// - Throws: ``TintypeError/Code/undecodable``.
    fileprivate init?(_ file: ISOFile, _ track: Range<Int>) throws(TintypeError) {
        guard let media = try file.onlyBox("mdia", in: track)?.body,
            let information = try file.onlyBox("minf", in: media)?.body,
            let table = try file.onlyBox("stbl", in: information)?.body
        else { return nil }
        let (short, long) = (try file.onlyBox("stco", in: table), try file.onlyBox("co64", in: table))
        guard short == nil || long == nil else { throw .suspectStructure }
        guard let offsets = short ?? long, let sizes = try file.onlyBox("stsz", in: table) else { return nil }
        let chunkCount = try file.number(at: offsets.fullBody.lowerBound, in: offsets.fullBody)
        let hasHeader = try file.onlyBox("tkhd", in: track) != nil
        guard chunkCount > 0, hasHeader, try file.identifier(ofTrack: track) != 0 else { return nil }
        (self.offsets, offsetSize, self.sizes) = (offsets.fullBody, short == nil ? 8 : 4, sizes.fullBody)
        durations = try file.onlyBox("stts", in: table)?.fullBody
        chunkRuns = try file.onlyBox("stsc", in: table)?.fullBody
        isAV1 = try Self.isAV1(file, table)
        isAuxiliary = try file.references(ofTrack: track, kind: "auxl").first ?? 0 != 0
        timeScale = try file.timeScale(ofMedia: media)
    }

    private static func isAV1(_ file: ISOFile, _ table: Range<Int>) throws(TintypeError) -> Bool {
        guard let body = try file.onlyBox("stsd", in: table)?.fullBody else { return false }
        return try file.boxes(in: min(body.lowerBound + 4, body.upperBound)..<body.upperBound)
            .contains { $0.kind == "av01" }
    }

    fileprivate func checkRuns(_ file: ISOFile, atMost limit: Int) throws(TintypeError) {
        for body in [durations, chunkRuns] {
            let count =
                try body.map { body throws(TintypeError) in try file.number(at: body.lowerBound, in: body) } ?? 0
            guard count <= limit else {
                throw .exceeded(.frames, "a list of the AVIF has \(count) runs of frames; the limit is \(limit)")
            }
        }
    }

    // MARK: Frames

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

    /// Returns the byte ranges of the first samples that are in the file. The samples of a chunk lie one after the
    /// other.
    func samples(_ bytes: UnsafeRawBufferPointer, atMost limit: Int) throws(TintypeError) -> [Range<Int>] {
        let file = ISOFile(bytes: bytes)
        guard let runs = chunkRuns else { return [] }
        let common = try file.number(at: sizes.lowerBound, in: sizes)
        let runCount = try file.number(at: runs.lowerBound, in: runs)
        var (samples, run, index) = ([Range<Int>](), 0, 0)
        for chunk in 0..<(try file.number(at: offsets.lowerBound, in: offsets)) {
            let entry = { run in runs.lowerBound + 4 + 12 * run }
            while run + 1 < runCount, try file.number(at: entry(run + 1), in: runs) <= chunk + 1 { run += 1 }
            var start = try offset(file, ofChunk: chunk)
            for _ in 0..<(try file.number(at: entry(run) + 4, in: runs)) {
                guard index < limit else { return samples }
                let size = common > 0 ? common : try file.number(at: sizes.lowerBound + 8 + 4 * index, in: sizes)
                if start <= bytes.count - size { samples.append(start..<start + size) }
                (start, index) = (start + size, index + 1)
            }
        }
        return samples
    }

    /// Offsets beyond any file are clamped.
    private func offset(_ file: ISOFile, ofChunk chunk: Int) throws(TintypeError) -> Int {
        let start = offsets.lowerBound + 4 + offsetSize * chunk
        let low = try file.number(at: start + offsetSize - 4, in: offsets)
        guard offsetSize == 8 else { return low }
        let high = try file.number(at: start, in: offsets)
        return high < 1 << 16 ? high << 32 | low : Int(Int32.max) << 16
    }
}

extension ISOFile {
    /// Returns the only box of a kind; `nil` if there is none.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if there are several: libavif appends the lists of some.
    fileprivate func onlyBox(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox? {
        let boxes = try boxes(in: part).filter { $0.kind == kind }
        guard boxes.count <= 1 else { throw .suspectStructure }
        return boxes.first
    }

    /// Returns the time units a second of a track (ISO/IEC 14496-12, 8.4.2); 0 if it does not say.
    fileprivate func timeScale(ofMedia media: Range<Int>) throws(TintypeError) -> Int {
        guard let header = try onlyBox("mdhd", in: media)?.body else { return 0 }
        let isLong = try number(at: header.lowerBound, size: 1, in: header) == 1
        return try number(at: header.lowerBound + (isLong ? 20 : 12), in: header)
    }
}
