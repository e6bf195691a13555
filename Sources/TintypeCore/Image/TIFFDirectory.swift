package import Foundation

/// A directory of a TIFF file (TIFF 6.0, section 2), read in place. Damaged entries read as absent.
package struct TIFFDirectory {
    /// The type and number of an entry's values, and the offset of its four value bytes.
    private struct Entry {
        let type: Int
        let count: Int
        let offset: Int
    }

    private let file: Data
    private let isBigEndian: Bool
    private let offset: Int
    private let entryCount: Int

    /// Returns the first directory; `nil` unless `file` is a TIFF file with 32-bit offsets.
    package static func first(of file: Data) -> TIFFDirectory? {
        guard file.count >= 8 else { return nil }
        let isBigEndian = file.starts(with: [0x4D, 0x4D, 0, 42])
        guard isBigEndian || file.starts(with: [0x49, 0x49, 42, 0]) else { return nil }
        return TIFFDirectory(file, isBigEndian, offsetAt: 4)
    }

    /// The next directory; `nil` if this is the last.
    package var next: TIFFDirectory? { TIFFDirectory(file, isBigEndian, offsetAt: offset + 2 + 12 * entryCount) }

    /// The tags of all entries, in the order of the file.
    var tags: [Int] {
        (0..<entryCount).compactMap { Self.number(2, at: offset + 2 + 12 * $0, file, isBigEndian) }
    }

    /// Returns the type, number and bytes of a tag's values; `nil` if they lie outside the file.
    func rawEntry(_ tag: Int) -> (type: Int, count: Int, value: Data)? {
        guard let entry = entry(tag), let range = bytes(tag) else { return nil }
        return (entry.type, entry.count, Data(file.dropFirst(range.lowerBound).prefix(range.count)))
    }

    /// Returns the directory at the offset that is the value of a tag; `nil` if there is none.
    package func directory(_ tag: Int) -> TIFFDirectory? {
        entry(tag).flatMap { TIFFDirectory(file, isBigEndian, offsetAt: $0.offset) }
    }

    private init?(_ file: Data, _ isBigEndian: Bool, offsetAt link: Int) {
        guard let offset = Self.number(4, at: link, file, isBigEndian), offset > 0 else { return nil }
        self.init(file, isBigEndian: isBigEndian, at: offset)
    }

    /// Creates a directory that begins at an offset, in a file that need not have a header.
    ///
    /// - Returns: `nil` if the directory is empty or reaches beyond the file.
    package init?(_ file: Data, isBigEndian: Bool, at offset: Int) {
        guard let count = Self.number(2, at: offset, file, isBigEndian), count > 0,
            count * 12 <= file.count - offset - 2
        else { return nil }
        self.file = file
        self.isBigEndian = isBigEndian
        (self.offset, entryCount) = (offset, count)
    }

    // MARK: Values

    /// The number of bytes of a value of each type, from type 1 on.
    private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

    /// Returns the number of bytes of a tag's values; 0 if the tag is absent.
    package func byteCount(_ tag: Int) -> Int {
        guard let entry = entry(tag), (1...Self.sizes.count).contains(entry.type) else { return 0 }
        return entry.count * Self.sizes[entry.type - 1]
    }

    /// Returns the range of a tag's values in the file; `nil` if the tag is absent or its values lie outside the file.
    package func bytes(_ tag: Int) -> Range<Int>? {
        guard let entry = entry(tag), byteCount(tag) > 0 else { return nil }
        let count = byteCount(tag)
        let start = count <= 4 ? entry.offset : Self.number(4, at: entry.offset, file, isBigEndian) ?? file.count
        return start <= file.count && count <= file.count - start ? start..<start + count : nil
    }

    /// Returns the first value of an integer or rational tag; `nil` if it is absent.
    package func number(_ tag: Int) -> Double? {
        guard let entry = entry(tag), entry.count > 0 else { return nil }
        switch entry.type {
        case 1, 3, 4:
            return Self.number(Self.sizes[entry.type - 1], at: entry.offset, file, isBigEndian).map(Double.init)
        case 5: return fraction(entry).map { Double($0.numerator) / Double($0.denominator) }
        default: return nil
        }
    }

    /// Returns the first value of a signed rational tag; `nil` if it is absent.
    package func signedFraction(_ tag: Int) -> Double? {
        guard let entry = entry(tag), entry.type == 10, entry.count > 0, let fraction = fraction(entry) else {
            return nil
        }
        return Double(Int32(truncatingIfNeeded: fraction.numerator))
            / Double(Int32(truncatingIfNeeded: fraction.denominator))
    }

    /// Returns the unsigned words of the first rational value, with a denominator that is not 0.
    private func fraction(_ entry: Entry) -> (numerator: Int, denominator: Int)? {
        guard let start = Self.number(4, at: entry.offset, file, isBigEndian),
            let numerator = Self.number(4, at: start, file, isBigEndian),
            let denominator = Self.number(4, at: start + 4, file, isBigEndian), denominator > 0
        else { return nil }
        return (numerator, denominator)
    }

    /// Returns the text of an ASCII tag up to its first NUL; `nil` if it is absent.
    package func text(_ tag: Int) -> String? {
        guard let entry = entry(tag), entry.type == 2, entry.count > 0 else { return nil }
        let start = entry.count <= 4 ? entry.offset : Self.number(4, at: entry.offset, file, isBigEndian) ?? file.count
        guard start <= file.count, entry.count <= file.count - start else { return nil }
        let bytes = file.dropFirst(start).prefix(entry.count).prefix { $0 != 0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The pixel density that XResolution, YResolution and ResolutionUnit specify (TIFF 6.0, section 8).
    package var density: PixelDensity? {
        guard let across = number(0x011A), let down = number(0x011B) else { return nil }
        switch number(0x0128) ?? 2 {
        case 2: return PixelDensity(across: across, down: down)
        case 3:
            return PixelDensity(
                across: across * PixelDensity.centimetresAnInch, down: down * PixelDensity.centimetresAnInch)
        default: return nil
        }
    }

    private func entry(_ tag: Int) -> Entry? {
        for index in 0..<entryCount {
            let start = offset + 2 + 12 * index
            guard Self.number(2, at: start, file, isBigEndian) == tag else { continue }
            guard let type = Self.number(2, at: start + 2, file, isBigEndian),
                let count = Self.number(4, at: start + 4, file, isBigEndian)
            else { return nil }
            return Entry(type: type, count: count, offset: start + 8)
        }
        return nil
    }

    /// Returns an unsigned integer of `size` bytes; `nil` if it lies outside the file.
    private static func number(_ size: Int, at start: Int, _ file: Data, _ isBigEndian: Bool) -> Int? {
        guard start >= 0, start <= file.count - size else { return nil }
        var number = 0
        for offset in 0..<size {
            let byte = Int(file[file.startIndex + start + (isBigEndian ? offset : size - 1 - offset)])
            number = number << 8 | byte
        }
        return number
    }
}
