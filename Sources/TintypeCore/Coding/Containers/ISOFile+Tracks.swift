extension ISOFile {
    /// Returns the bodies of the first image track of the file and of its media box (ISO/IEC 23008-12, 7).
    ///
    /// - Returns: `nil` if the file has no image track.
    /// - Throws: ``TintypeError/Code/undecodable`` for damaged boxes.
    package func imageTrack() throws(TintypeError) -> (track: Range<Int>, media: Range<Int>)? {
        for track in try allTracks() {
            if let media = try media(of: track, handledAs: "pict") { return (track, media) }
        }
        return nil
    }

    /// Returns the auxiliary tracks of an image track, such as its alpha (7.5.3), each with its media box.
    ///
    /// - Parameter track: The body of the image track.
    /// - Throws: ``TintypeError/Code/undecodable`` for damaged boxes of the image track.
    package func auxiliaryTracks(
        of track: Range<Int>
    ) throws(TintypeError) -> [(track: Range<Int>, media: Range<Int>)] {
        let identifier = try identifier(ofTrack: track)
        var auxiliaries: [(track: Range<Int>, media: Range<Int>)] = []
        for other in try allTracks() where other != track {
            // A damaged auxiliary track does not make the image track undecodable.
            if let media = try? media(of: other, handledAs: "auxv"),
                (try? references(ofTrack: other, kind: "auxl").contains(identifier)) == true
            {
                auxiliaries.append((other, media))
            }
        }
        return auxiliaries
    }

    /// Returns the body of the sample table, which locates and describes the samples (ISO/IEC 14496-12, 8.5.1).
    ///
    /// - Parameter media: The body of the track's media box.
    /// - Throws: ``TintypeError/Code/undecodable`` if a box is damaged or missing.
    package func sampleTable(ofMedia media: Range<Int>) throws(TintypeError) -> Range<Int> {
        try requiredBox("stbl", in: try requiredBox("minf", in: media).body).body
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
        let handler = try requiredBox("hdlr", in: media).fullBody
        guard handler.count >= 8 else { throw .damagedBoxes }
        let kind = bytes[handler.lowerBound + 4..<handler.lowerBound + 8]
        return kind.elementsEqual(wanted.utf8)
    }

    // MARK: Track references

    /// Returns the identifier of a track (ISO/IEC 14496-12, 8.3.2).
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if the track header is damaged or missing.
    package func identifier(ofTrack track: Range<Int>) throws(TintypeError) -> Int {
        let header = try requiredBox("tkhd", in: track).body
        let isLong = try number(at: header.lowerBound, size: 1, in: header) == 1
        return try number(at: header.lowerBound + (isLong ? 20 : 12), in: header)
    }

    /// Returns the identifiers of the tracks to which a track has references of type `kind` (8.3.3).
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for damaged boxes.
    package func references(ofTrack track: Range<Int>, kind: String) throws(TintypeError) -> [Int] {
        guard let all = try box("tref", in: track), let body = try box(kind, in: all.body)?.body else { return [] }
        var numbers: [Int] = []
        for offset in stride(from: body.lowerBound, to: body.upperBound - 3, by: 4) {
            numbers.append(try number(at: offset, in: body))
        }
        return numbers
    }
}

// MARK: - Repetition

extension ISOFile {
    /// Returns how many times an image sequence plays (ISO/IEC 23008-12, 7.2.1).
    ///
    /// This is the duration of the track divided by the duration of its edit list, rounded up.
    ///
    /// - Parameter track: The body of the track.
    /// - Returns: 0 for an endless animation, and if the file does not specify repetition, as browsers and Apple's
    ///   viewers assume.
    /// - Throws: ``TintypeError/Code/undecodable`` for damaged boxes.
    package func playCount(ofTrack track: Range<Int>) throws(TintypeError) -> Int {
        guard let edits = try box("edts", in: track), let list = try box("elst", in: edits.body),
            try number(at: list.body.lowerBound + 3, size: 1, in: list.body) & 1 == 1
        else { return 0 }
        guard let total = try duration(ofTrack: requiredBox("tkhd", in: track).body) else { return 0 }
        let round = try editsDuration(list.body)
        guard round > 0 else { return 0 }
        // A partial round counts as one.
        return max(1, total / round + (total % round == 0 ? 0 : 1))
    }

    /// Returns the duration of a track in units of the movie's time scale; `nil` if it is endless
    /// (ISO/IEC 14496-12, 8.3.2).
    private func duration(ofTrack header: Range<Int>) throws(TintypeError) -> Int? {
        guard try number(at: header.lowerBound, size: 1, in: header) == 1 else {
            let duration = try number(at: header.lowerBound + 20, in: header)
            return duration == UInt32.max ? nil : duration
        }
        return try long(at: header.lowerBound + 28, in: header)
    }

    /// Returns the total duration of an edit list (8.6.6), limited to 2⁵¹.
    private func editsDuration(_ list: Range<Int>) throws(TintypeError) -> Int {
        let isLong = try number(at: list.lowerBound, size: 1, in: list) == 1
        var sum = 0
        for index in 0..<(try number(at: list.lowerBound + 4, in: list)) {
            let offset = list.lowerBound + 8 + index * (isLong ? 20 : 12)
            let duration = try isLong ? long(at: offset, in: list) ?? 0 : number(at: offset, in: list)
            sum = min(sum + duration, Int(Int32.max) << 20)
        }
        return sum
    }

    /// Returns a 64-bit number; `nil` if it is 2⁵² or more, which counts as an endless duration.
    private func long(at offset: Int, in part: Range<Int>) throws(TintypeError) -> Int? {
        let (high, low) = (try number(at: offset, in: part), try number(at: offset + 4, in: part))
        return high < 1 << 20 ? high << 32 | low : nil
    }
}
