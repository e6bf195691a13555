extension ISOFile {
    /// The first track of pictures of a whole file, and its media (ISO/IEC 23008-12, 7); `nil` when there is none.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    package func pictureTrack() throws(TintypeError) -> (track: Range<Int>, media: Range<Int>)? {
        for track in try allTracks() {
            if let media = try media(of: track, handledAs: "pict") { return (track, media) }
        }
        return nil
    }

    /// The tracks of pictures that say something of those of another one, as of their alpha (7.5.3).
    ///
    /// - Parameter track: the body of its box.
    package func auxiliaryTracks(
        of track: Range<Int>
    ) throws(TintypeError) -> [(track: Range<Int>, media: Range<Int>)] {
        let identifier = try identifier(ofTrack: track)
        var found: [(track: Range<Int>, media: Range<Int>)] = []
        for other in try allTracks() where other != track {
            // What is damaged of others is no matter of this one.
            if let media = try? media(of: other, handledAs: "auxv"),
                (try? references(ofTrack: other, kind: "auxl").contains(identifier)) == true
            {
                found.append((other, media))
            }
        }
        return found
    }

    /// Where a track says how its samples are coded, and where they lie (ISO/IEC 14496-12, 8.5.1).
    package func sampleTable(ofMedia media: Range<Int>) throws(TintypeError) -> Range<Int> {
        try needed("stbl", in: try needed("minf", in: media).body).body
    }

    private func allTracks() throws(TintypeError) -> [Range<Int>] {
        guard let movie = try box("moov", in: 0..<bytes.count) else { return [] }
        return try boxes(in: movie.body).filter { $0.kind == "trak" }.map(\.body)
    }

    private func media(of track: Range<Int>, handledAs handler: String) throws(TintypeError) -> Range<Int>? {
        guard let media = try box("mdia", in: track)?.body, try isHandled(media, as: handler) else { return nil }
        return media
    }

    private func isHandled(_ media: Range<Int>, as wanted: String) throws(TintypeError) -> Bool {
        let handler = try needed("hdlr", in: media).fullBody
        guard handler.count >= 8 else { throw .damagedBoxes }
        let kind = bytes[handler.lowerBound + 4..<handler.lowerBound + 8]
        return kind.elementsEqual(wanted.utf8)
    }

    // MARK: Names of tracks

    /// The number that other tracks call it by (ISO/IEC 14496-12, 8.3.2).
    package func identifier(ofTrack track: Range<Int>) throws(TintypeError) -> Int {
        let header = try needed("tkhd", in: track).body
        let isLong = try number(at: header.lowerBound, size: 1, in: header) == 1
        return try number(at: header.lowerBound + (isLong ? 20 : 12), in: header)
    }

    /// The numbers of the tracks that one refers to in some way (8.3.3).
    package func references(ofTrack track: Range<Int>, kind: String) throws(TintypeError) -> [Int] {
        guard let all = try box("tref", in: track), let body = try box(kind, in: all.body)?.body else { return [] }
        var numbers: [Int] = []
        for place in stride(from: body.lowerBound, to: body.upperBound - 3, by: 4) {
            numbers.append(try number(at: place, in: body))
        }
        return numbers
    }
}
