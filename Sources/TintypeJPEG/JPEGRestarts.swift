import Foundation
import TintypeCore

/// Where a sequential JPEG of one scan can be cut: at its restart markers (ITU-T T.81, B.2.1), after which nothing
/// depends on what came before.
struct JPEGRestarts {
    private let raw: UnsafeRawBufferPointer
    /// The segments that decoding needs, the frame header and the scan header included.
    private let segments: [Range<Int>]
    private let frame: JPEGFrame
    /// The number of MCUs between two markers.
    private let interval: Int
    /// The coded data of each interval, without the markers around it. The last one has what follows the image, too.
    private let intervals: [Range<Int>]

    /// The number of rows of MCUs.
    var rowCount: Int { frame.mcuRows }
    /// The number of rows that a row of MCUs has in an image of `eighths`/8 of the stored size.
    func rowHeight(eighths: Int) -> Int { frame.mcuHeight / 8 * eighths }

    /// - Parameter raw: A whole file, which must outlive this value.
    /// - Returns: `nil` if there are no restart markers, or if they are not exactly where they should be.
    init?(_ raw: UnsafeRawBufferPointer) {
        guard let header = JPEGScanHeader(raw), let frame = header.frame, header.interval > 0 else { return nil }
        let count = (frame.mcusAcross * frame.mcuRows + header.interval - 1) / header.interval
        guard let intervals = Self.intervals(raw, from: header.end, count) else { return nil }
        (self.raw, self.frame, self.intervals) = (raw, frame, intervals)
        (segments, interval) = (header.segments, header.interval)
    }

    /// Finds the intervals between markers. `nil` if there are not `count`, or if a marker has a wrong number.
    private static func intervals(_ raw: UnsafeRawBufferPointer, from start: Int, _ count: Int) -> [Range<Int>]? {
        var (intervals, first, offset) = ([Range<Int>](), start, start)
        while let base = raw.baseAddress, offset < raw.count,
            let found = memchr(base + offset, 0xFF, raw.count - offset)
        {
            offset = UnsafeRawPointer(found) - base + 1
            guard offset < raw.count else { return nil }
            switch raw[offset] {
            case 0, 0xFF: continue
            case 0xD0...0xD7 where Int(raw[offset]) == 0xD0 + intervals.count % 8 && intervals.count < count:
                intervals.append(first..<offset - 1)
                first = offset + 1
            case 0xD9 where intervals.count == count - 1: return intervals + [first..<raw.count]
            default: return nil
            }
        }
        return nil
    }

    /// The number of rows of MCUs after which one begins with an interval again.
    var rowsPerStart: Int {
        var (divisor, rest) = (interval, frame.mcusAcross)
        while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
        return interval / divisor
    }

    /// Returns a file with some rows of MCUs, the first of which is a multiple of ``rowsPerStart``. Its markers are
    /// numbered from the beginning.
    func file(_ rows: Range<Int>) -> Data {
        let first = rows.lowerBound * frame.mcusAcross / interval
        let end = (rows.upperBound * frame.mcusAcross + interval - 1) / interval
        let used = intervals[first..<min(end, intervals.count)]
        let length = (used.last?.upperBound ?? 0) - (used.first?.lowerBound ?? 0)
        var file = Data(capacity: length + 4096)
        file.append(contentsOf: [0xFF, 0xD8])
        for segment in segments {
            let offset = segment == frame.segment ? file.count : nil
            file.append(contentsOf: raw[segment])
            guard let offset else { continue }
            let height = min(rows.upperBound * frame.mcuHeight, frame.height) - rows.lowerBound * frame.mcuHeight
            (file[offset + 5], file[offset + 6]) = (UInt8(height >> 8), UInt8(height & 0xFF))
        }
        for (number, interval) in used.enumerated() {
            if number > 0 { file.append(contentsOf: [0xFF, 0xD0 + UInt8((number - 1) % 8)]) }
            file.append(contentsOf: raw[interval])
        }
        file.append(contentsOf: [0xFF, 0xD9])
        return file
    }
}

/// The frame header of a sequential JPEG whose one scan has all components.
struct JPEGFrame {
    /// The whole segment.
    let segment: Range<Int>
    let height: Int
    /// The height of an MCU in pixels.
    let mcuHeight: Int
    let mcusAcross: Int
    let mcuRows: Int
    let componentCount: Int

    /// Reads the header (T.81, B.2.2). `nil` if it is damaged.
    init?(_ raw: UnsafeRawBufferPointer, _ segment: Range<Int>) {
        let bytes = UnsafeRawBufferPointer(rebasing: raw[segment])
        guard bytes.count >= 10, bytes[4] == 8, bytes.count == 10 + 3 * Int(bytes[9]) else { return nil }
        (self.segment, componentCount) = (segment, Int(bytes[9]))
        height = Int(bytes[5]) << 8 | Int(bytes[6])
        let width = Int(bytes[7]) << 8 | Int(bytes[8])
        let factors = (0..<componentCount).map { bytes[11 + 3 * $0] }
        let (across, down) = (factors.map { $0 >> 4 }.max() ?? 0, factors.map { $0 & 15 }.max() ?? 0)
        guard width > 0, height > 0, 1...4 ~= across, 1...4 ~= down else { return nil }
        // A scan of one component has MCUs of one block, whatever its factors (A.2.2).
        let isSingle = componentCount == 1
        mcuHeight = isSingle ? 8 : 8 * Int(down)
        let mcuWidth = isSingle ? 8 : 8 * Int(across)
        (mcusAcross, mcuRows) = ((width + mcuWidth - 1) / mcuWidth, (height + mcuHeight - 1) / mcuHeight)
    }
}

/// The segments before the first scan.
private struct JPEGScanHeader {
    /// Those that decoding needs.
    private(set) var segments: [Range<Int>] = []
    /// `nil` if the image is not sequential, has several scans, or is damaged.
    private(set) var frame: JPEGFrame?
    private(set) var interval = 0
    /// The start of the coded data.
    private(set) var end = 2

    /// More than tables, colours and parameters need. Each strip has a copy of them.
    private static let mostSegments = 32

    init?(_ raw: UnsafeRawBufferPointer) {
        while end + 4 <= raw.count, raw[end] == 0xFF {
            let marker = raw[end + 1]
            let segment = end..<end + 2 + (Int(raw[end + 2]) << 8 | Int(raw[end + 3]))
            guard segment.count >= 4, segment.upperBound <= raw.count, segments.count < Self.mostSegments else {
                return nil
            }
            end = segment.upperBound
            switch marker {
            // Tables, JFIF's and Adobe's colours.
            case 0xDB, 0xC4, 0xE0, 0xEE: segments.append(segment)
            case 0xC0 where frame == nil, 0xC1 where frame == nil:
                frame = JPEGFrame(raw, segment)
                segments.append(segment)
            case 0xDD where segment.count == 6:
                interval = Int(raw[segment.lowerBound + 4]) << 8 | Int(raw[segment.lowerBound + 5])
                segments.append(segment)
            case 0xDA:
                segments.append(segment)
                if segment.count < 5 || Int(raw[segment.lowerBound + 4]) != frame?.componentCount { frame = nil }
                return
            case 0xE1...0xED, 0xEF, 0xFE: continue
            default: return nil
            }
        }
        return nil
    }
}
