import Foundation
import TintypeCore

/// Adds a play count to a sequence that libavif 0.11 wrote, which loops forever: an edit list in each track that
/// repeats the frames, and a track duration that covers all plays (ISO/IEC 23008-12, 7.2.1).
struct AVIFRepetition {
    private var file: Data
    private let plays: Int
    /// The boxes of the file before it is changed.
    private let tracks: [Track]
    /// The positions of the offsets of items outside of the tracks: the still image and its metadata.
    private let itemOffsets: [Int]

    /// The offsets, in the file, of the fields that are changed in one track.
    private struct Track {
        /// The duration in the track header, a number of eight bytes.
        let duration: Int
        /// The end of the track header, where the edit list is inserted.
        let editOffset: Int
        /// The offsets of chunks and of metadata, each a number of four bytes.
        let dataOffsets: [Int]
        /// The sizes of the boxes around the edit list.
        let size: Int
    }

    /// The number of bytes of an edit list of one edit in its container.
    private static let editLength = 44

    /// Returns a sequence that plays a number of times.
    ///
    /// - Parameters:
    ///   - file: A sequence of libavif, with headers of version 1 and the movie before the media data.
    ///   - plays: The number of plays; 0 is forever.
    /// - Returns: The unchanged file if it plays forever, or is not built as libavif 0.11 does. Later versions write
    ///   the edit list themselves.
    /// - Throws: `TintypeError.Code.encodeFailed` if the file is too large for the change.
    static func repeating(_ file: Data, plays: Int) throws(TintypeError) -> Data {
        guard plays > 0, let layout = try? AVIFRepetition(file, plays) else { return file }
        return try layout.changed()
    }

    private init(_ file: Data, _ plays: Int) throws(TintypeError) {
        (self.file, self.plays) = (file, plays)
        (tracks, itemOffsets) = try file.withTypedBytes { raw throws(TintypeError) in
            let boxes = ISOFile(bytes: raw)
            let movie = try boxes.requiredBox("moov", in: 0..<raw.count).body
            var tracks: [Track] = []
            for track in try boxes.boxes(in: movie) where track.kind == "trak" {
                tracks.append(try Self.track(boxes, track.body))
            }
            return (tracks, try Self.itemOffsets(boxes, in: 0..<raw.count))
        }
    }

    private static func track(_ file: ISOFile, _ body: Range<Int>) throws(TintypeError) -> Track {
        let header = try file.requiredBox("tkhd", in: body).body
        // Later versions of libavif write an edit list themselves.
        guard try file.number(at: header.lowerBound, size: 1, in: header) == 1, header.count == 96,
            try file.box("edts", in: body) == nil
        else { throw unexpectedLayout }
        let media = try file.requiredBox("mdia", in: body).body
        let chunks = try file.requiredBox("stco", in: file.sampleTable(ofMedia: media)).fullBody
        var offsets: [Int] = []
        for index in 0..<(try file.number(at: chunks.lowerBound, in: chunks)) {
            let offset = chunks.lowerBound + 4 + 4 * index
            _ = try file.number(at: offset, in: chunks)
            offsets.append(offset)
        }
        return Track(
            duration: header.lowerBound + 28, editOffset: header.upperBound,
            dataOffsets: offsets + (try itemOffsets(file, in: body)), size: body.lowerBound - 8)
    }

    /// Returns the positions of the offsets of the items of a file or a track, each of one extent with numbers of four
    /// bytes (`iloc` of version 0: ISO/IEC 14496-12, 8.11.3).
    private static func itemOffsets(_ file: ISOFile, in part: Range<Int>) throws(TintypeError) -> [Int] {
        guard let meta = try file.box("meta", in: part)?.fullBody else { return [] }
        let body = try file.requiredBox("iloc", in: meta).body
        // Version and flags, two bytes with the sizes of fields, and the number of items; an item has 14 bytes.
        let (version, sizes) = (
            try file.number(at: body.lowerBound, in: body), try file.number(at: body.lowerBound + 4, size: 2, in: body)
        )
        let count = try file.number(at: body.lowerBound + 6, size: 2, in: body)
        guard version == 0, sizes == 0x4400, body.count == 8 + 14 * count else { throw unexpectedLayout }
        return (0..<count).map { body.lowerBound + 8 + 14 * $0 + 6 }
    }

    private static var unexpectedLayout: TintypeError {
        TintypeError(.encodeFailed, stage: .encode, "the AVIF sequence is not built as expected")
    }

    // MARK: Changes

    private func changed() throws(TintypeError) -> Data {
        var changed = self
        guard let movie = file.offset(ofBox: "moov") else { return file }
        let growth = tracks.count * Self.editLength
        try changed.moveOffsets(by: growth)
        var longest: UInt64 = 0
        // The last track first, so that the offsets of the others stay valid.
        for track in tracks.reversed() { longest = max(longest, changed.insertEdits(into: track)) }
        changed.file.setNumber(changed.file.number(at: movie) + UInt64(growth), at: movie, size: 4)
        // The header of the movie comes first: its size and type, version and flags, two times and the time scale.
        changed.file.setNumber(longest, at: movie + 8 + 8 + 4 + 20, size: 8)
        return changed.file
    }

    /// Adds the growth of the movie to the offsets of the media data, which comes after it: those of chunks and of
    /// items.
    private mutating func moveOffsets(by growth: Int) throws(TintypeError) {
        for offset in tracks.flatMap(\.dataOffsets) + itemOffsets {
            let moved = file.number(at: offset) + UInt64(growth)
            guard moved <= UInt32.max else {
                throw TintypeError(.encodeFailed, stage: .encode, "the AVIF sequence exceeds 4 GB")
            }
            file.setNumber(moved, at: offset, size: 4)
        }
    }

    /// Inserts the edit list of a track.
    ///
    /// - Returns: The duration of all plays, in units of the movie.
    private mutating func insertEdits(into track: Track) -> UInt64 {
        let round = file.number(at: track.duration, size: 8)
        let (product, overflow) = round.multipliedReportingOverflow(by: UInt64(plays))
        let total = overflow ? UInt64.max : product
        file.setNumber(total, at: track.duration, size: 8)
        file.setNumber(file.number(at: track.size) + UInt64(Self.editLength), at: track.size, size: 4)
        file.insert(contentsOf: Self.edits(of: round), at: track.editOffset)
        return total
    }

    /// Returns an edit list of version 1 that repeats one edit: all of the track, at its normal rate
    /// (ISO/IEC 14496-12, 8.6.6).
    private static func edits(of round: UInt64) -> Data {
        var edits = Data([0, 0, 0, UInt8(editLength)]) + Data("edts".utf8)
        edits += Data([0, 0, 0, UInt8(editLength - 8)]) + Data("elst".utf8)
        edits += Data([1, 0, 0, 1, 0, 0, 0, 1])
        edits += Data(count: 16) + Data([0, 1, 0, 0])
        edits.setNumber(round, at: 24, size: 8)
        return edits
    }
}

extension Data {
    /// Returns a big-endian number.
    fileprivate func number(at offset: Int, size: Int = 4) -> UInt64 {
        self[startIndex + offset..<startIndex + offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Stores a big-endian number.
    fileprivate mutating func setNumber(_ number: UInt64, at offset: Int, size: Int) {
        for index in 0..<size {
            self[startIndex + offset + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (size - 1 - index)))
        }
    }

    /// Returns the offset of the first box of a kind at the top of the file.
    fileprivate func offset(ofBox kind: String) -> Int? {
        withUnsafeBytes { raw in
            let file = ISOFile(bytes: raw)
            return file.intactBoxes(in: 0..<raw.count).first { $0.kind == kind }.map { $0.body.lowerBound - 8 }
        }
    }
}
