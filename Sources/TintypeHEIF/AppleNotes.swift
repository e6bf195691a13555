import Foundation
import TintypeCore

/// The maker notes that Apple's cameras add to Exif data: a name, a version, a byte order and one TIFF directory.
/// Offsets count from the beginning of the notes.
struct AppleNotes {
    private let directory: TIFFDirectory

    private static let name = Array("Apple iOS\0".utf8)
    /// The number of bytes before the directory.
    private static let headerLength = 14

    private enum Tag {
        static let exifDirectory = 0x8769
        static let makerNotes = 0x927C
        static let headroom = 0x21
        static let gain = 0x30
    }

    /// Finds the notes.
    ///
    /// - Returns: `nil` if there are none, or they are damaged or another manufacturer's.
    init?(_ exif: ExifData) {
        guard let details = TIFFDirectory.first(of: exif.bytes)?.directory(Tag.exifDirectory),
            let range = details.bytes(Tag.makerNotes)
        else { return nil }
        let notes = Data(exif.bytes.dropFirst(range.lowerBound).prefix(range.count))
        guard notes.count > Self.headerLength, notes.starts(with: Self.name) else { return nil }
        let isBigEndian = notes[Self.headerLength - 2] == UInt8(ascii: "M")
        guard let directory = TIFFDirectory(notes, isBigEndian: isBigEndian, at: Self.headerLength) else { return nil }
        self.directory = directory
    }

    /// The light of the brightest gain of the image's gain map, in multiples of reference white (Apple, "Applying Apple
    /// HDR effect to your photos"); `nil` if the notes do not state it.
    var headroom: Double? {
        guard let headroom = directory.signedFraction(Tag.headroom), let gain = directory.signedFraction(Tag.gain)
        else { return nil }
        let stops =
            switch (headroom < 1, gain <= 0.01) {
            case (true, true): 1.8 - 20 * gain
            case (true, false): 1.601 - 0.101 * gain
            case (false, true): 3 - 70 * gain
            case (false, false): 2.303 - 0.303 * gain
            }
        return exp2(max(stops, 0))
    }
}
