public import Foundation

/// Exif data (Exif 2.32) as a picture carries them: a TIFF file that has no pixels but those of a thumbnail.
public struct ExifData: Hashable, Sendable {
    /// From the byte order on, without what a format puts before it.
    public let bytes: Data

    /// - Parameter bytes: with or without the six bytes that begin a JPEG's segment.
    /// - Returns: `nil` for what is no such file.
    public init?(_ bytes: Data) {
        let begins = bytes.starts(with: Self.segmentStart)
        self.bytes = Data(begins ? bytes.dropFirst(Self.segmentStart.count) : bytes)
        guard TIFFDirectory.first(of: self.bytes) != nil else { return nil }
    }

    /// - Parameter item: as files of boxes have them: the first four bytes tell how many stand before the Exif data
    ///   (ISO/IEC 23008-12, A.2.1).
    package init?(item: Data) {
        let skipped = item.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard item.count > 4, skipped < item.count - 4 else { return nil }
        self.init(Data(item.dropFirst(4 + skipped)))
    }

    package static let segmentStart: [UInt8] = Array("Exif\0\0".utf8)

    /// The words of an ASCII tag of the first directory, such as 0x010F, who made the camera; `nil` where there are none.
    ///
    /// O(entries of the directory).
    public func text(_ tag: Int) -> String? { TIFFDirectory.first(of: bytes)?.text(tag) }

    /// The first number of a tag of the first directory; `nil` where there is none.
    public func number(_ tag: Int) -> Double? { TIFFDirectory.first(of: bytes)?.number(tag) }

    public var orientation: Orientation? { number(0x0112).flatMap { Orientation(rawValue: Int($0)) } }

    /// What X- and YResolution say.
    public var density: PixelDensity? { TIFFDirectory.first(of: bytes)?.density }

    /// The JPEG of the second directory, which shows the stored picture small; `nil` where there is none.
    public var thumbnail: Data? {
        guard let second = TIFFDirectory.first(of: bytes)?.next, let start = second.number(0x0201),
            let count = second.number(0x0202)
        else { return nil }
        let (first, length) = (Int(start), Int(count))
        guard length > 0, first <= bytes.count, length <= bytes.count - first else { return nil }
        return bytes.subdata(in: bytes.startIndex + first..<bytes.startIndex + first + length)
    }
}
