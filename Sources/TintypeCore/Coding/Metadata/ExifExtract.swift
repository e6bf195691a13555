import Foundation

extension ExifData {
    /// Returns the Exif data in a TIFF with pixels, for another file: the entries of its first directory that do not
    /// describe pixels, and the Exif, GPS and interoperability directories.
    ///
    /// Values move, so that maker notes, which contain offsets, are left out. Classic TIFF only.
    ///
    /// - Parameter limit: The largest number of bytes of the result.
    /// - Returns: `nil` if there is nothing but the density and the orientation.
    static func extracted(fromTIFF file: Data, limit: Int) -> ExifData? {
        guard let directory = TIFFDirectory.first(of: file) else { return nil }
        var writer = ExifWriter(file, limit: limit)
        guard writer.write(directory) else { return nil }
        return ExifData(writer.bytes)
    }

    /// The artist and the copyright alone (Exif 2.32, 4.6.4); `nil` if neither is stated. Cameras fill unused ones with
    /// spaces.
    var copyright: ExifData? {
        guard let directory = TIFFDirectory.first(of: bytes) else { return nil }
        let tags = [0x013B, 0x8298].filter { directory.rawEntry($0)?.value.contains { $0 > 0x20 } == true }
        // Values are aligned, which may add a byte to each.
        var writer = ExifWriter(bytes, limit: bytes.count + tags.count)
        guard writer.write(directory, tags) else { return nil }
        return ExifData(writer.bytes)
    }
}

/// Copies directories into a new TIFF without pixels, in the byte order of the source.
private struct ExifWriter {
    private let file: Data
    private let isBigEndian: Bool
    private let limit: Int
    private(set) var bytes: Data

    private enum Tag {
        static let exif = 0x8769
        static let location = 0x8825
        static let interoperability = 0xA005
        static let makerNote = 0x927C
        /// Directories that are copied.
        static let directories: Set<Int> = [exif, location, interoperability]
        /// What other programs do not count as metadata if there is nothing else.
        static let common: Set<Int> = [0x0112, 0x011A, 0x011B, 0x0128]
        /// Resources of Photoshop, of layers and of printers, a list of further directories, and the maker notes.
        static let others: Set<Int> = [0x8649, 0x8606, 0x014A, 0x935C, 0xC4A5, makerNote]
    }

    init(_ file: Data, limit: Int) {
        self.file = file
        self.limit = limit
        isBigEndian = file.starts(with: [0x4D, 0x4D])
        bytes = Data(isBigEndian ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] : [0x49, 0x49, 42, 0, 8, 0, 0, 0])
    }

    /// Writes the first directory.
    ///
    /// - Returns: `false` if it has no entries worth copying, or more bytes than allowed.
    mutating func write(_ directory: TIFFDirectory) -> Bool {
        let tags = directory.tags.filter { !TIFFMetadataFile.describesPixels($0) && !Tag.others.contains($0) }
        guard !Tag.common.isSuperset(of: tags) else { return false }
        return write(directory, tags)
    }

    /// Writes some entries of the first directory.
    ///
    /// - Returns: `false` if there are none, or more bytes than allowed.
    mutating func write(_ directory: TIFFDirectory, _ tags: [Int]) -> Bool {
        writeEntries(of: directory, tags, depth: 0) && bytes.count <= limit
    }

    /// Appends a directory, then the values of its entries.
    private mutating func writeEntries(of directory: TIFFDirectory, _ tags: [Int], depth: Int) -> Bool {
        let entries = tags.compactMap { tag in directory.rawEntry(tag).map { (tag, $0) } }.filter { tag, _ in
            !Tag.directories.contains(tag) || directory.directory(tag) != nil
        }
        guard !entries.isEmpty, entries.count < 4096 else { return false }
        let start = bytes.count
        bytes += number(entries.count, 2) + Data(count: 12 * entries.count + 4)
        for (index, (tag, entry)) in entries.enumerated() {
            let position = start + 2 + 12 * index
            var value = entry.value
            if Tag.directories.contains(tag) {
                guard depth < 2, let inner = directory.directory(tag) else { return false }
                align()
                value = number(bytes.count, 4)
                let innerTags = inner.tags.filter { !Tag.others.contains($0) }
                guard writeEntries(of: inner, innerTags, depth: depth + 1) else { return false }
            } else if value.count > 4 {
                align()
                let offset = bytes.count
                guard value.count <= limit - offset else { return false }
                bytes += value
                value = number(offset, 4)
            }
            let fields = number(tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            bytes.replaceSubrange(position..<position + 12, with: fields + value + Data(count: 4 - value.count))
        }
        return true
    }

    /// Values begin at even offsets.
    private mutating func align() {
        if !bytes.count.isMultiple(of: 2) { bytes.append(0) }
    }

    private func number(_ value: Int, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (isBigEndian ? size - 1 - $0 : $0))) })
    }
}
