import Foundation

/// A TIFF that Tintype's encoder has written, to which metadata is added.
///
/// Exif data is a TIFF without pixels, and the maker notes in it contain offsets. The result therefore begins with the
/// unchanged Exif data. The written file follows, and then a new first directory with the entries of both.
struct TIFFMetadataFile {
    /// An entry of a directory: its tag, and its bytes from the tag on, in the byte order of the result.
    private typealias Entry = (tag: Int, bytes: Data)

    private let written: Data
    /// The entries of the written directory, which contain only numbers of two or four bytes.
    private var entries: [(tag: Int, type: Int, values: [Int])] = []

    private enum Tag {
        static let stripOffsets = 273
        static let xmp = 700
        static let iptc = 33723
        static let profile = 34675
    }

    private static let entryLength = 12

    /// - Returns: `nil` if the file is not one that the encoder writes: little-endian, with one directory.
    init?(_ written: Data) {
        guard written.starts(with: [0x49, 0x49, 42, 0]) else { return nil }
        self.written = written
        guard let directory = number(4, at: 4), let count = number(2, at: directory), count > 0 else { return nil }
        for index in 0..<count {
            let start = directory + 2 + Self.entryLength * index
            guard let tag = number(2, at: start), let type = number(2, at: start + 2),
                let values = values(type, at: start + 4)
            else { return nil }
            entries.append((tag, type, values))
        }
    }

    /// Returns the little-endian number at an offset; `nil` if it lies outside of the file.
    private func number(_ size: Int, at start: Int) -> Int? {
        guard start >= 0, start <= written.count - size else { return nil }
        return written[written.startIndex + start..<written.startIndex + start + size].reversed()
            .reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the values of an entry whose count is at an offset.
    private func values(_ type: Int, at start: Int) -> [Int]? {
        guard let size = [3: 2, 4: 4][type], let count = number(4, at: start), count <= written.count / size else {
            return nil
        }
        let isInline = count * size <= 4
        guard let offset = isInline ? start + 4 : number(4, at: start + 4) else { return nil }
        let values = (0..<count).compactMap { number(size, at: offset + size * $0) }
        return values.count == count ? values : nil
    }

    // MARK: The result

    /// Returns the file with metadata, whose Exif data must describe an upright image.
    ///
    /// - Returns: `nil` if the file would have more than 4 GB, or the directory more than 65,535 entries.
    func inserting(_ metadata: ImageMetadata, _ profile: Data?) -> Data? {
        var file = metadata.exif?.bytes ?? Data("II*\0\0\0\0\0".utf8)
        let isBigEndian = file.starts(with: [0x4D, 0x4D])
        let copied = metadata.exif.map { Self.entries(ofExif: $0.bytes, isBigEndian) } ?? []
        if !file.count.isMultiple(of: 2) { file.append(0) }
        let start = file.count
        file += written
        var directory = entries.map { entry -> Entry in
            let values = entry.tag == Tag.stripOffsets ? entry.values.map { $0 + start } : entry.values
            let bytes = values.reduce(into: Data()) { $0.append($1, entry.type == 3 ? 2 : 4, isBigEndian) }
            return Self.entry(entry.tag, entry.type, values.count, bytes, isBigEndian, in: &file)
        }
        for (tag, type, data) in [(Tag.xmp, 1, metadata.xmp), (Tag.iptc, 7, metadata.iptc), (Tag.profile, 7, profile)] {
            if let data { directory.append(Self.entry(tag, type, data.count, data, isBigEndian, in: &file)) }
        }
        let known = Set(directory.map(\.tag))
        directory += copied.filter { !known.contains($0.tag) && !Self.describesPixels($0.tag) }
        // The number of entries has 16 bits.
        guard directory.count <= UInt16.max else { return nil }
        Self.append(directory, isBigEndian, to: &file)
        return file.count <= UInt32.max ? file : nil
    }

    /// Returns whether a tag describes how the pixels of an image are stored (TIFF 6.0, sections 8 and following), so
    /// that it must not come from other data.
    static func describesPixels(_ tag: Int) -> Bool {
        (254...279).contains(tag) && ![269, 270, 271, 272].contains(tag)
            || [284, 288, 289, 290, 291, 292, 293, 301, 317, 318, 319, 330, 347, 529, 530, 531, 532].contains(tag)
            || (320...325).contains(tag) || (332...342).contains(tag) || (512...521).contains(tag)
            || [Tag.xmp, Tag.iptc, Tag.profile].contains(tag)
    }

    /// Returns an entry. Appends its values to the file unless they fit into the entry.
    private static func entry(
        _ tag: Int, _ type: Int, _ count: Int, _ values: Data, _ isBigEndian: Bool, in file: inout Data
    ) -> Entry {
        var bytes = Data()
        bytes.append(tag, 2, isBigEndian)
        bytes.append(type, 2, isBigEndian)
        bytes.append(count, 4, isBigEndian)
        guard values.count > 4 else { return (tag, bytes + values + Data(count: 4 - values.count)) }
        if !file.count.isMultiple(of: 2) { file.append(0) }
        bytes.append(file.count, 4, isBigEndian)
        file += values
        return (tag, bytes)
    }

    /// Appends a directory in the order of its tags, and makes it the first.
    private static func append(_ directory: [Entry], _ isBigEndian: Bool, to file: inout Data) {
        if !file.count.isMultiple(of: 2) { file.append(0) }
        var header = Data()
        header.append(file.count, 4, isBigEndian)
        file.replaceSubrange(4..<8, with: header)
        file.append(directory.count, 2, isBigEndian)
        for entry in directory.sorted(by: { $0.tag < $1.tag }) { file += entry.bytes }
        file += Data(count: 4)
    }

    /// Returns the entries of the first directory of Exif data. Their offsets stay valid.
    private static func entries(ofExif exif: Data, _ isBigEndian: Bool) -> [Entry] {
        func number(_ size: Int, at start: Int) -> Int? {
            guard start >= 0, start <= exif.count - size else { return nil }
            let part = exif[exif.startIndex + start..<exif.startIndex + start + size]
            return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(4, at: 4), let count = number(2, at: directory) else { return [] }
        return (0..<count).compactMap { index in
            let start = directory + 2 + entryLength * index
            guard let tag = number(2, at: start), start <= exif.count - entryLength else { return nil }
            return (tag, Data(exif[exif.startIndex + start..<exif.startIndex + start + entryLength]))
        }
    }
}

extension Data {
    /// Appends the low `size` bytes of a number.
    fileprivate mutating func append(_ number: Int, _ size: Int, _ isBigEndian: Bool) {
        for index in 0..<size {
            append(UInt8(truncatingIfNeeded: number >> (8 * (isBigEndian ? size - 1 - index : index))))
        }
    }
}
