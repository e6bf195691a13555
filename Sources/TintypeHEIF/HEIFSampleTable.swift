import TintypeCore

/// Where the samples of a track lie, and when each is shown (ISO/IEC 14496-12, 8.6 and 8.7).
struct HEIFSampleTable {
    struct Sample {
        let place: Range<Int>
        /// In units of the track's time.
        let duration: Int
        /// When it is shown.
        let shownAt: Int
        /// Whether it is decoded without those before it.
        let isSync: Bool
    }

    let samples: [Sample]
    /// When the first sample is shown that is not in the file; `nil` where all are.
    let missingFrom: Int?

    /// - Parameter keepsPart: whether the last samples need not be in the file; otherwise that is an error.
    /// - Throws: ``TintypeError/Code/limitExceeded`` above the frames that are allowed, before there is memory for them;
    ///   ``TintypeError/Code/undecodable`` for tables that contradict each other or the file.
    init(
        _ file: ISOFile, _ table: Range<Int>, _ limits: DecodeLimits, keepsPart: Bool = false
    ) throws(TintypeError) {
        let sizes = try Self.sizes(file, try file.needed("stsz", in: table).fullBody, limits)
        let places = try Self.places(file, table, sizes, keepsPart: keepsPart)
        let durations = try Self.runs(file, try file.needed("stts", in: table).fullBody, count: sizes.count)
        var offsets = [Int](repeating: 0, count: sizes.count)
        if let shifts = try file.box("ctts", in: table) {
            // Signed in version 1; those who write version 0 mean the same where they go below 0.
            offsets = try Self.runs(file, shifts.fullBody, count: sizes.count).map {
                Int(Int32(truncatingIfNeeded: $0))
            }
        }
        let isSync = try Self.isSync(file, table, count: sizes.count)
        var samples: [Sample] = []
        var (time, missingFrom) = (0, Int?.none)
        for index in sizes.indices {
            let shownAt = time + offsets[index]
            if index < places.count {
                samples.append(
                    Sample(
                        place: places[index]..<places[index] + sizes[index], duration: durations[index],
                        shownAt: shownAt, isSync: isSync[index]))
            } else {
                missingFrom = min(shownAt, missingFrom ?? shownAt)
            }
            time += durations[index]
        }
        (self.samples, self.missingFrom) = (samples, missingFrom)
    }

    private static func sizes(
        _ file: ISOFile, _ body: Range<Int>, _ limits: DecodeLimits
    ) throws(TintypeError) -> [Int] {
        let (common, start) = (try file.number(at: body.lowerBound, in: body), body.lowerBound + 8)
        let count = try file.number(at: body.lowerBound + 4, in: body)
        guard count > 0 else { throw .damagedSequence }
        guard count <= limits.frames else {
            throw .exceeded(.frames, "\(count) frames, \(limits.frames) are allowed")
        }
        guard common == 0 else { return [Int](repeating: common, count: count) }
        var sizes: [Int] = []
        for index in 0..<count { sizes.append(try file.number(at: start + 4 * index, in: body)) }
        return sizes
    }

    /// Numbers that are told as runs of equal ones: a count, and the number.
    private static func runs(_ file: ISOFile, _ body: Range<Int>, count: Int) throws(TintypeError) -> [Int] {
        var numbers: [Int] = []
        for run in 0..<(try file.number(at: body.lowerBound, in: body)) {
            let place = body.lowerBound + 4 + 8 * run
            let length = try file.number(at: place, in: body)
            guard length <= count - numbers.count else { throw .damagedSequence }
            numbers += [Int](repeating: try file.number(at: place + 4, in: body), count: length)
        }
        guard numbers.count == count else { throw .damagedSequence }
        return numbers
    }

    private static func isSync(_ file: ISOFile, _ table: Range<Int>, count: Int) throws(TintypeError) -> [Bool] {
        // Without such a box every sample is one.
        guard let body = try file.box("stss", in: table)?.fullBody else { return [Bool](repeating: true, count: count) }
        var isSync = [Bool](repeating: false, count: count)
        for index in 0..<(try file.number(at: body.lowerBound, in: body)) {
            let sample = try file.number(at: body.lowerBound + 4 + 4 * index, in: body)
            guard (1...count).contains(sample) else { throw .damagedSequence }
            isSync[sample - 1] = true
        }
        isSync[0] = true
        return isSync
    }

    // MARK: Places

    /// Where each sample begins: samples lie in chunks, one after the other.
    private static func places(
        _ file: ISOFile, _ table: Range<Int>, _ sizes: [Int], keepsPart: Bool
    ) throws(TintypeError) -> [Int] {
        let chunks = try chunkPlaces(file, table)
        let runs = try file.needed("stsc", in: table).fullBody
        let runCount = try file.number(at: runs.lowerBound, in: runs)
        var places: [Int] = []
        for run in 0..<runCount {
            let place = runs.lowerBound + 4 + 12 * run
            let first = try file.number(at: place, in: runs)
            let samples = try file.number(at: place + 4, in: runs)
            let next = run + 1 < runCount ? try file.number(at: place + 12, in: runs) : chunks.count + 1
            guard first > 0, next > first, next <= chunks.count + 1, samples > 0 else { throw .damagedSequence }
            for chunk in first..<next {
                var start = chunks[chunk - 1]
                for _ in 0..<min(samples, sizes.count - places.count) {
                    let size = sizes[places.count]
                    guard size > 0, start <= file.bytes.count - size else {
                        guard keepsPart, !places.isEmpty else { throw .damagedSequence }
                        return places
                    }
                    places.append(start)
                    start += size
                }
            }
        }
        guard places.count == sizes.count else { throw .damagedSequence }
        return places
    }

    private static func chunkPlaces(_ file: ISOFile, _ table: Range<Int>) throws(TintypeError) -> [Int] {
        let isLong = try file.box("stco", in: table) == nil
        let body = try file.needed(isLong ? "co64" : "stco", in: table).fullBody
        let size = isLong ? 8 : 4
        let count = try file.number(at: body.lowerBound, in: body)
        guard count <= body.count / size else { throw .damagedSequence }
        var places: [Int] = []
        for index in 0..<count {
            let place = body.lowerBound + 4 + size * index
            // The higher half of a long one is 0 in a file that lies in memory.
            if isLong, try file.number(at: place, in: body) != 0 { throw .damagedSequence }
            places.append(try file.number(at: place + size - 4, in: body))
        }
        return places
    }
}
