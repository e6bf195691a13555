public import Foundation

/// The Exif data of an image (Exif 2.32): a TIFF file without pixels, except for an optional thumbnail.
public struct ExifData: Hashable, Sendable {
    /// The TIFF file, from its byte order mark on, without the prefix that an image format adds.
    public let bytes: Data

    /// Creates Exif data from the bytes of a file.
    ///
    /// - Parameter bytes: With or without the six bytes `Exif\0\0` that begin a JPEG segment.
    /// - Returns: `nil` if the bytes are not a TIFF file.
    public init?(_ bytes: Data) {
        let begins = bytes.starts(with: Self.segmentStart)
        self.bytes = Data(begins ? bytes.dropFirst(Self.segmentStart.count) : bytes)
        guard TIFFDirectory.first(of: self.bytes) != nil else { return nil }
    }

    /// Creates Exif data from an item of an ISO base media file (ISO/IEC 23008-12, A.2.1).
    ///
    /// - Parameter item: Four bytes with an offset, then as many bytes to skip, then the Exif data.
    package init?(item: Data) {
        let skipped = item.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard item.count > 4, skipped < item.count - 4 else { return nil }
        self.init(Data(item.dropFirst(4 + skipped)))
    }

    /// The bytes that precede the Exif data in a JPEG segment.
    package static let segmentStart: [UInt8] = Array("Exif\0\0".utf8)

    /// Returns the text of an ASCII tag of the first directory, such as the camera maker, 0x010F; `nil` if absent.
    ///
    /// - Complexity: O(entries of the directory).
    public func text(_ tag: Int) -> String? { TIFFDirectory.first(of: bytes)?.text(tag) }

    /// Returns the first number of a tag of the first directory; `nil` if it is absent.
    ///
    /// - Complexity: O(entries of the directory).
    public func number(_ tag: Int) -> Double? { TIFFDirectory.first(of: bytes)?.number(tag) }

    /// The orientation (tag 0x0112); `nil` if it is absent or invalid.
    package var orientation: Orientation? { number(0x0112).flatMap { Orientation(rawValue: Int($0)) } }

    /// The pixel density that XResolution and YResolution specify; `nil` if they are absent.
    package var density: PixelDensity? { TIFFDirectory.first(of: bytes)?.density }

    /// The thumbnail of the stored image, a JPEG in the second directory; `nil` if there is none.
    public var thumbnail: Data? {
        guard let second = TIFFDirectory.first(of: bytes)?.next, let start = second.number(0x0201),
            let count = second.number(0x0202)
        else { return nil }
        let (first, length) = (Int(start), Int(count))
        guard length > 0, first <= bytes.count, length <= bytes.count - first else { return nil }
        return bytes.subdata(in: bytes.startIndex + first..<bytes.startIndex + first + length)
    }
}
