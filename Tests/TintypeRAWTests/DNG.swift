import Foundation
import TintypeCore

/// A small DNG 1.4: uncompressed samples of 16 bits in one strip, which lies before the directories.
struct DNG {
    /// The size of the sensor in samples.
    var size = PixelSize(width: 64, height: 48)
    /// The part with the image, at the top left; `nil` for the whole sensor.
    var active: PixelSize?
    /// The orientation of Exif.
    var orientation = 1
    /// Whether the sensor has no colour filters.
    var isGrey = false
    /// The camera's white: the response of red, green and blue, in ten-thousandths.
    var neutral = [10_000, 10_000, 10_000]
    /// The embedded JPEG, and its size.
    var preview: (jpeg: Data, size: PixelSize)?
    /// The number of bytes that the directory states for the JPEG; `nil` for the true one.
    var previewByteCount: Int?
    /// Returns the level of a colour, 0 for red to 2 for blue, at a position.
    var level: @Sendable (_ channel: Int, _ x: Int, _ y: Int) -> UInt16 = { _, _, _ in 20_000 }

    /// A tag, the type and number of its values, and the values.
    private typealias Entry = (tag: Int, type: Int, count: Int, values: Data)

    /// The offset of the samples.
    private static let start = 4096

    private static func little(_ number: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    private static func words(_ numbers: Int...) -> Data { numbers.reduce(Data()) { $0 + little($1, 2) } }
    private static func long(_ number: Int) -> Data { little(number, 4) }

    /// Numbers in ten-thousandths.
    private static func fractions(_ numbers: [Int]) -> Data {
        numbers.reduce(Data()) { $0 + little($1, 4) + little(10_000, 4) }
    }

    /// Returns a directory at an offset, with its values behind it.
    private static func directory(_ entries: [Entry], at offset: Int, next: Int) -> Data {
        var (directory, values) = (words(entries.count), Data())
        let end = offset + 2 + 12 * entries.count + 4
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            let data = entry.values
            directory += words(entry.tag, entry.type) + long(entry.count)
            directory += data.count <= 4 ? data + Data(count: 4 - data.count) : long(end + values.count)
            if data.count > 4 { values += data + Data(count: data.count % 2) }
        }
        return directory + long(next) + values
    }

    /// The samples, with a Bayer pattern that begins with red.
    private var samples: Data {
        var samples = [UInt16]()
        samples.reserveCapacity(size.area)
        for y in 0..<size.height {
            for x in 0..<size.width { samples.append(level(y % 2 + x % 2, x, y).littleEndian) }
        }
        return samples.withUnsafeBytes { Data($0) }
    }

    private func mainEntries(sampleBytes: Int) -> [Entry] {
        let (long, words) = (Self.long, Self.fractions)
        var entries: [Entry] = [
            (254, 4, 1, long(0)), (256, 4, 1, long(size.width)), (257, 4, 1, long(size.height)),
            (258, 3, 1, Self.words(16)), (259, 3, 1, Self.words(1)),
            (262, 3, 1, Self.words(isGrey ? 34892 : 32803)), (271, 2, 8, Data("Tintype\0".utf8)),
            (272, 2, 5, Data("Test\0".utf8)), (273, 4, 1, long(Self.start)),
            (274, 3, 1, Self.words(orientation)), (277, 3, 1, Self.words(1)), (278, 4, 1, long(size.height)),
            (279, 4, 1, long(sampleBytes)), (50706, 1, 4, Data([1, 4, 0, 0])), (50707, 1, 4, Data([1, 1, 0, 0])),
            (50708, 2, 13, Data("Tintype Test\0".utf8)), (50717, 4, 1, long(65_535)),
        ]
        if !isGrey {
            let matrix = [32_406, -15_372, -4_986, -9_689, 18_758, 415, 557, -2_040, 10_570]
            entries += [
                (33421, 3, 2, Self.words(2, 2)), (33422, 1, 4, Data([0, 1, 1, 2])), (50721, 10, 9, words(matrix)),
                (50728, 5, 3, words(neutral)), (50778, 3, 1, Self.words(21)),
            ]
        }
        if let active {
            entries.append((50829, 4, 4, long(0) + long(0) + long(active.height) + long(active.width)))
        }
        return entries
    }

    /// The file.
    var data: Data {
        let samples = samples
        let end = Self.start + samples.count
        let previewEnd = end + (preview.map { $0.jpeg.count + $0.jpeg.count % 2 } ?? 0)
        let head =
            Data("II*\0".utf8) + Self.long(8)
            + Self.directory(mainEntries(sampleBytes: samples.count), at: 8, next: preview == nil ? 0 : previewEnd)
        let file = head + Data(count: Self.start - head.count) + samples
        guard let preview else { return file }
        let entries: [Entry] = [
            (254, 4, 1, Self.long(1)), (256, 4, 1, Self.long(preview.size.width)),
            (257, 4, 1, Self.long(preview.size.height)), (258, 3, 1, Self.words(8)), (259, 3, 1, Self.words(7)),
            (262, 3, 1, Self.words(6)), (273, 4, 1, Self.long(end)), (277, 3, 1, Self.words(3)),
            (278, 4, 1, Self.long(preview.size.height)), (279, 4, 1, Self.long(previewByteCount ?? preview.jpeg.count)),
        ]
        return file + preview.jpeg + Data(count: preview.jpeg.count % 2)
            + Self.directory(entries, at: previewEnd, next: 0)
    }
}
