package import Foundation

/// One directory of a TIFF file (TIFF 6.0, section 2), read where it lies. What is damaged reads as absent.
package struct TIFFDirectory {
    /// An entry's kind of values, how many, and where its four bytes stand.
    private struct Entry {
        let type: Int
        let count: Int
        let place: Int
    }

    private let file: Data
    private let isBigEndian: Bool
    private let place: Int
    private let entryCount: Int

    /// The first directory; `nil` for what is no TIFF file of 32-bit places.
    package static func first(of file: Data) -> TIFFDirectory? {
        guard file.count >= 8 else { return nil }
        let isBigEndian = file.starts(with: [0x4D, 0x4D, 0, 42])
        guard isBigEndian || file.starts(with: [0x49, 0x49, 42, 0]) else { return nil }
        return TIFFDirectory(file, isBigEndian, atWordAt: 4)
    }

    /// The directory after this one.
    package var next: TIFFDirectory? { TIFFDirectory(file, isBigEndian, atWordAt: place + 2 + 12 * entryCount) }

    private init?(_ file: Data, _ isBigEndian: Bool, atWordAt link: Int) {
        self.file = file
        self.isBigEndian = isBigEndian
        guard let place = Self.number(4, at: link, file, isBigEndian), place > 0,
            let count = Self.number(2, at: place, file, isBigEndian), count > 0,
            count * 12 <= file.count - place - 2
        else { return nil }
        (self.place, entryCount) = (place, count)
    }

    // MARK: Values

    /// Bytes of a value of each type, from 1 on.
    private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

    /// How many bytes a tag's values have; 0 where there is none.
    package func byteCount(_ tag: Int) -> Int {
        guard let entry = entry(tag), (1...Self.sizes.count).contains(entry.type) else { return 0 }
        return entry.count * Self.sizes[entry.type - 1]
    }

    package func number(_ tag: Int) -> Double? {
        guard let entry = entry(tag), entry.count > 0 else { return nil }
        switch entry.type {
        case 1, 3, 4:
            return Self.number(Self.sizes[entry.type - 1], at: entry.place, file, isBigEndian).map(Double.init)
        case 5:
            guard let start = Self.number(4, at: entry.place, file, isBigEndian),
                let above = Self.number(4, at: start, file, isBigEndian),
                let below = Self.number(4, at: start + 4, file, isBigEndian), below > 0
            else { return nil }
            return Double(above) / Double(below)
        default: return nil
        }
    }

    package func text(_ tag: Int) -> String? {
        guard let entry = entry(tag), entry.type == 2, entry.count > 0 else { return nil }
        let start = entry.count <= 4 ? entry.place : Self.number(4, at: entry.place, file, isBigEndian) ?? file.count
        guard start <= file.count, entry.count <= file.count - start else { return nil }
        let bytes = file.dropFirst(start).prefix(entry.count).prefix { $0 != 0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What X- and YResolution and their unit say (TIFF 6.0, section 8).
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
            let start = place + 2 + 12 * index
            guard Self.number(2, at: start, file, isBigEndian) == tag else { continue }
            guard let type = Self.number(2, at: start + 2, file, isBigEndian),
                let count = Self.number(4, at: start + 4, file, isBigEndian)
            else { return nil }
            return Entry(type: type, count: count, place: start + 8)
        }
        return nil
    }

    private static func number(_ size: Int, at place: Int, _ file: Data, _ isBigEndian: Bool) -> Int? {
        guard place >= 0, place <= file.count - size else { return nil }
        var number = 0
        for offset in 0..<size {
            let byte = Int(file[file.startIndex + place + (isBigEndian ? offset : size - 1 - offset)])
            number = number << 8 | byte
        }
        return number
    }
}
