import Foundation

extension ExifData {
    /// Returns the data for the upright pixels of an image.
    ///
    /// No data moves, because maker notes contain offsets. Removed data is overwritten with zeros.
    ///
    /// - Parameters:
    ///   - size: The size of the image in pixels.
    ///   - keepsLocation: Whether to keep the location (GPS).
    /// - Returns: `nil` if the data is damaged, or if the location must be removed but cannot be found with certainty.
    func rewritten(size: PixelSize, keepsLocation: Bool) -> ExifData? {
        var editor = ExifEditor(bytes)
        guard editor.rewrite(size: size, keepsLocation: keepsLocation) else { return nil }
        return ExifData(editor.data)
    }

    /// Returns the data with a JPEG thumbnail appended; `nil` if the first directory cannot be read.
    func appending(thumbnail: Data) -> ExifData? {
        var editor = ExifEditor(bytes)
        return editor.append(thumbnail: thumbnail) ? ExifData(editor.data) : nil
    }
}

/// Changes Exif data in place. Every offset is checked against the data.
struct ExifEditor {
    private var bytes: [UInt8]
    private let isBigEndian: Bool

    private enum Tag {
        static let orientation = 0x0112
        static let exifDirectory = 0x8769
        static let location = 0x8825
        static let width = 0xA002
        static let height = 0xA003
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
    }

    private static let entryLength = 12

    init(_ data: Data) {
        bytes = Array(data)
        isBigEndian = data.starts(with: [0x4D, 0x4D])
    }

    var data: Data { Data(bytes) }

    /// Resets the orientation, sets the size, and removes the thumbnail and, unless it is kept, the location.
    ///
    /// - Returns: `false` if the first directory cannot be read, or if the location cannot be removed.
    mutating func rewrite(size: PixelSize, keepsLocation: Bool) -> Bool {
        guard let first = number(4, at: 4), entryCount(first) != nil else { return false }
        setNumber(Tag.orientation, in: first, to: 1)
        if let exif = value(Tag.exifDirectory, in: first) {
            setNumber(Tag.width, in: exif, to: size.width)
            setNumber(Tag.height, in: exif, to: size.height)
        }
        // Before the location: removing its entry may leave the directory empty, and then the thumbnail cannot be
        // found.
        removeThumbnail(after: first)
        return keepsLocation || removeLocation(from: first)
    }

    /// Removes the GPS directory, and the entry that refers to it.
    ///
    /// - Returns: `false` if other programs may still find a location:
    ///   - the entry has an unusual type;
    ///   - there is a second entry, or one in the Exif directory;
    ///   - the GPS directory is truncated.
    private mutating func removeLocation(from first: Int) -> Bool {
        if let exif = value(Tag.exifDirectory, in: first), entry(Tag.location, in: exif) != nil { return false }
        guard entry(Tag.location, in: first) != nil else { return true }
        guard let location = value(Tag.location, in: first), let count = number(2, at: location),
            count == 0 || entryCount(location) != nil
        else { return false }
        eraseDirectory(at: location)
        removeEntry(Tag.location, from: first)
        return entry(Tag.location, in: first) == nil
    }

    // MARK: Thumbnail

    private mutating func removeThumbnail(after first: Int) {
        guard let count = entryCount(first) else { return }
        let link = first + 2 + Self.entryLength * count
        guard let second = number(4, at: link), second > 0 else { return }
        let (offset, length) = (value(Tag.thumbnailOffset, in: second), value(Tag.thumbnailLength, in: second))
        eraseDirectory(at: second)
        store(0, size: 4, at: link)
        guard let offset, let length, offset <= bytes.count, length <= bytes.count - offset else { return }
        // Usually nothing follows the thumbnail.
        if offset + length == bytes.count { bytes.removeLast(length) } else { erase(offset..<offset + length) }
    }

    /// Adds a second directory with a thumbnail (Exif 2.32, 4.5.5).
    ///
    /// - Returns: Whether the first directory could be read.
    mutating func append(thumbnail: Data) -> Bool {
        guard let first = number(4, at: 4), let count = entryCount(first) else { return false }
        if !bytes.count.isMultiple(of: 2) { bytes.append(0) }
        let second = bytes.count
        // The compression (6: JPEG), the offset and the length.
        let entries = [
            (0x0103, 3, 6), (Tag.thumbnailOffset, 4, second + 2 + 3 * Self.entryLength + 4),
            (
                Tag.thumbnailLength, 4, thumbnail.count
            ),
        ]
        bytes += [UInt8](repeating: 0, count: 2 + 3 * Self.entryLength + 4)
        store(entries.count, size: 2, at: second)
        for (index, entry) in entries.enumerated() {
            let start = second + 2 + Self.entryLength * index
            store(entry.0, size: 2, at: start)
            store(entry.1, size: 2, at: start + 2)
            store(1, size: 4, at: start + 4)
            store(entry.2, size: entry.1 == 3 ? 2 : 4, at: start + 8)
        }
        bytes += thumbnail
        store(second, size: 4, at: first + 2 + Self.entryLength * count)
        return true
    }

    // MARK: Directories

    /// Returns the number of entries of a directory; `nil` unless all of them and the link to the next directory lie
    /// inside the data.
    private func entryCount(_ directory: Int) -> Int? {
        guard let count = number(2, at: directory), count > 0,
            Self.entryLength * count + 6 <= bytes.count - directory
        else { return nil }
        return count
    }

    private func entry(_ tag: Int, in directory: Int) -> Int? {
        guard let count = entryCount(directory) else { return nil }
        return (0..<count).lazy.map { directory + 2 + Self.entryLength * $0 }.first { number(2, at: $0) == tag }
    }

    /// Returns the integer of an entry with one value.
    private func value(_ tag: Int, in directory: Int) -> Int? {
        guard let entry = entry(tag, in: directory), number(4, at: entry + 4) == 1 else { return nil }
        switch number(2, at: entry + 2) {
        case 3: return number(2, at: entry + 8)
        case 4, 13: return number(4, at: entry + 8)
        default: return nil
        }
    }

    private mutating func setNumber(_ tag: Int, in directory: Int, to number: Int) {
        guard let entry = entry(tag, in: directory), self.number(4, at: entry + 4) == 1 else { return }
        switch self.number(2, at: entry + 2) {
        case 3 where number <= Int(UInt16.max): store(number, size: 2, at: entry + 8)
        case 4: store(number, size: 4, at: entry + 8)
        default: break
        }
    }

    private mutating func removeEntry(_ tag: Int, from directory: Int) {
        guard let entry = entry(tag, in: directory), let count = entryCount(directory) else { return }
        // The other entries and the link to the next directory.
        let end = directory + 2 + Self.entryLength * count + 4
        bytes.replaceSubrange(
            entry..<end, with: bytes[entry + Self.entryLength..<end] + Array(repeating: 0, count: Self.entryLength))
        store(count - 1, size: 2, at: directory)
    }

    /// The number of bytes of a value of each type, from type 1 on (TIFF 6.0, section 2).
    private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

    /// Overwrites a directory, and the values that lie outside of its entries.
    private mutating func eraseDirectory(at directory: Int) {
        guard let count = entryCount(directory) else { return }
        for range in values(ofDirectory: directory) { erase(range) }
        erase(directory..<directory + 2 + Self.entryLength * count + 4)
    }

    /// Returns the ranges of the values that lie outside of the entries of a directory.
    ///
    /// Values do not overlap, so together they are no longer than the data.
    func values(ofDirectory directory: Int) -> [Range<Int>] {
        guard let count = entryCount(directory) else { return [] }
        var (ranges, left) = ([Range<Int>](), bytes.count)
        for index in 0..<count {
            let entry = directory + 2 + Self.entryLength * index
            guard let type = number(2, at: entry + 2), (1...Self.sizes.count).contains(type),
                let values = number(4, at: entry + 4), let offset = number(4, at: entry + 8)
            else { continue }
            let length = values * Self.sizes[type - 1]
            if length > 4, offset >= 8, offset <= bytes.count, length <= min(bytes.count - offset, left) {
                ranges.append(offset..<offset + length)
                left -= length
            }
        }
        return ranges
    }

    private mutating func erase(_ range: Range<Int>) {
        for index in range { bytes[index] = 0 }
    }

    // MARK: Numbers

    private func number(_ size: Int, at start: Int) -> Int? {
        guard start >= 0, start <= bytes.count - size else { return nil }
        let part = bytes[start..<start + size]
        return isBigEndian ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func store(_ number: Int, size: Int, at start: Int) {
        guard start >= 0, start <= bytes.count - size else { return }
        for index in 0..<size {
            let shift = 8 * (isBigEndian ? size - 1 - index : index)
            bytes[start + index] = UInt8(truncatingIfNeeded: number >> shift)
        }
    }
}
