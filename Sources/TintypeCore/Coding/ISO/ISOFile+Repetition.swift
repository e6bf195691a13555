extension ISOFile {
    /// How often the track of an image sequence is played (ISO/IEC 23008-12, 7.2.1): for as long as it says, one round of
    /// its edits after the other.
    ///
    /// - Parameter track: the body of its box.
    /// - Returns: 0 for ever, also where nothing is said of repeating: so browsers and Apple's own viewers play it.
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    package func playCount(ofTrack track: Range<Int>) throws(TintypeError) -> Int {
        guard let edits = try box("edts", in: track), let list = try box("elst", in: edits.body),
            try number(at: list.body.lowerBound + 3, size: 1, in: list.body) & 1 == 1
        else { return 0 }
        guard let whole = try duration(ofTrack: needed("tkhd", in: track).body) else { return 0 }
        let round = try editsDuration(list.body)
        guard round > 0 else { return 0 }
        // A part of a round counts as one.
        return max(1, whole / round + (whole % round == 0 ? 0 : 1))
    }

    /// In the units of the whole file; `nil` where it has no end (ISO/IEC 14496-12, 8.3.2).
    private func duration(ofTrack header: Range<Int>) throws(TintypeError) -> Int? {
        guard try number(at: header.lowerBound, size: 1, in: header) == 1 else {
            let duration = try number(at: header.lowerBound + 20, in: header)
            return duration == UInt32.max ? nil : duration
        }
        return try long(at: header.lowerBound + 28, in: header)
    }

    /// What all edits of a list take together (8.6.6).
    private func editsDuration(_ list: Range<Int>) throws(TintypeError) -> Int {
        let isLong = try number(at: list.lowerBound, size: 1, in: list) == 1
        var sum = 0
        for index in 0..<(try number(at: list.lowerBound + 4, in: list)) {
            let place = list.lowerBound + 8 + index * (isLong ? 20 : 12)
            let duration = try isLong ? long(at: place, in: list) ?? 0 : number(at: place, in: list)
            sum = min(sum + duration, Int(Int32.max) << 20)
        }
        return sum
    }

    /// A number of 64 bits; `nil` for one that is as good as without end.
    private func long(at place: Int, in part: Range<Int>) throws(TintypeError) -> Int? {
        let (high, low) = (try number(at: place, in: part), try number(at: place + 4, in: part))
        return high < 1 << 20 ? high << 32 | low : nil
    }
}
