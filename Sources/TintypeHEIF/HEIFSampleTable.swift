import TintypeCore

/// The byte range and the time of each sample of a track (ISO/IEC 14496-12, 8.6 and 8.7).
struct HEIFSampleTable {
    struct Sample {
        /// The bytes of the sample in the file.
        let range: Range<Int>
        /// In time units of the track.
        let duration: Int
        /// When the sample is shown, in time units of the track.
        let compositionTime: Int
        /// Whether the sample is decoded without earlier ones.
        let isSync: Bool
    }

    /// The samples that are in the file, in decoding order.
    let samples: [Sample]
    /// The earliest composition time of a sample that is not in the file; `nil` if all are.
    let firstMissingTime: Int?

    /// Reads a sample table.
    ///
    /// - Parameter allowsTruncation: Whether the last samples may lie beyond the end of the file.
    /// - Throws: `TintypeError.Code.limitExceeded` above the frame limit, before memory is allocated for the samples;
    ///   `TintypeError.Code.undecodable` if the tables contradict each other or the file.
    init(
        _ file: ISOFile, _ table: Range<Int>, _ limits: DecodeLimits, allowsTruncation: Bool = false
    ) throws(TintypeError) {
        let sizes = try Self.sizes(file, try file.requiredBox("stsz", in: table).fullBody, limits)
        let offsets = try Self.offsets(file, table, sizes, allowsTruncation: allowsTruncation)
        let durations = try Self.runs(file, try file.requiredBox("stts", in: table).fullBody, count: sizes.count)
        var shifts = [Int](repeating: 0, count: sizes.count)
        if let box = try file.box("ctts", in: table) {
            // Signed in version 1. Writers of version 0 also use negative values.
            shifts = try Self.runs(file, box.fullBody, count: sizes.count).map {
                Int(Int32(truncatingIfNeeded: $0))
            }
        }
        let isSync = try Self.isSync(file, table, count: sizes.count)
        var samples: [Sample] = []
        var (time, firstMissingTime) = (0, Int?.none)
        for index in sizes.indices {
            let compositionTime = time + shifts[index]
            if index < offsets.count {
                samples.append(
                    Sample(
                        range: offsets[index]..<offsets[index] + sizes[index], duration: durations[index],
                        compositionTime: compositionTime, isSync: isSync[index]))
            } else {
                firstMissingTime = min(compositionTime, firstMissingTime ?? compositionTime)
            }
            time += durations[index]
        }
        (self.samples, self.firstMissingTime) = (samples, firstMissingTime)
    }

    /// Reads the size of each sample in bytes.
    private static func sizes(
        _ file: ISOFile, _ body: Range<Int>, _ limits: DecodeLimits
    ) throws(TintypeError) -> [Int] {
        let (common, start) = (try file.number(at: body.lowerBound, in: body), body.lowerBound + 8)
        let count = try file.number(at: body.lowerBound + 4, in: body)
        guard count > 0 else { throw .damagedSequence }
        guard count <= limits.frames else {
            throw .exceeded(.frames, "the HEIC sequence has \(count) frames, the limit is \(limits.frames)")
        }
        guard common == 0 else { return [Int](repeating: common, count: count) }
        var sizes: [Int] = []
        for index in 0..<count { sizes.append(try file.number(at: start + 4 * index, in: body)) }
        return sizes
    }

    /// Reads a run-length coded list: pairs of a count and a value.
    private static func runs(_ file: ISOFile, _ body: Range<Int>, count: Int) throws(TintypeError) -> [Int] {
        var numbers: [Int] = []
        for run in 0..<(try file.number(at: body.lowerBound, in: body)) {
            let offset = body.lowerBound + 4 + 8 * run
            let length = try file.number(at: offset, in: body)
            guard length <= count - numbers.count else { throw .damagedSequence }
            numbers += [Int](repeating: try file.number(at: offset + 4, in: body), count: length)
        }
        guard numbers.count == count else { throw .damagedSequence }
        return numbers
    }

    private static func isSync(_ file: ISOFile, _ table: Range<Int>, count: Int) throws(TintypeError) -> [Bool] {
        // Without this box every sample is a sync sample.
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

    // MARK: Offsets

    /// Returns the file offset of each sample. The samples of a chunk lie one after the other.
    private static func offsets(
        _ file: ISOFile, _ table: Range<Int>, _ sizes: [Int], allowsTruncation: Bool
    ) throws(TintypeError) -> [Int] {
        let chunks = try chunkOffsets(file, table)
        let runs = try file.requiredBox("stsc", in: table).fullBody
        let runCount = try file.number(at: runs.lowerBound, in: runs)
        var offsets: [Int] = []
        for run in 0..<runCount {
            let offset = runs.lowerBound + 4 + 12 * run
            let first = try file.number(at: offset, in: runs)
            let samples = try file.number(at: offset + 4, in: runs)
            let next = run + 1 < runCount ? try file.number(at: offset + 12, in: runs) : chunks.count + 1
            guard first > 0, next > first, next <= chunks.count + 1, samples > 0 else { throw .damagedSequence }
            for chunk in first..<next {
                var start = chunks[chunk - 1]
                for _ in 0..<min(samples, sizes.count - offsets.count) {
                    let size = sizes[offsets.count]
                    guard size > 0, start <= file.bytes.count - size else {
                        guard allowsTruncation, !offsets.isEmpty else { throw .damagedSequence }
                        return offsets
                    }
                    offsets.append(start)
                    start += size
                }
            }
        }
        guard offsets.count == sizes.count else { throw .damagedSequence }
        return offsets
    }

    private static func chunkOffsets(_ file: ISOFile, _ table: Range<Int>) throws(TintypeError) -> [Int] {
        let isLong = try file.box("stco", in: table) == nil
        let body = try file.requiredBox(isLong ? "co64" : "stco", in: table).fullBody
        let size = isLong ? 8 : 4
        let count = try file.number(at: body.lowerBound, in: body)
        guard count <= body.count / size else { throw .damagedSequence }
        var offsets: [Int] = []
        for index in 0..<count {
            let offset = body.lowerBound + 4 + size * index
            // The upper half of a 64-bit offset is 0, because the file lies in memory.
            if isLong, try file.number(at: offset, in: body) != 0 { throw .damagedSequence }
            offsets.append(try file.number(at: offset + size - 4, in: body))
        }
        return offsets
    }
}
