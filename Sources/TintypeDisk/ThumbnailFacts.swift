import Foundation
import TintypeCore

/// The metadata of an entry of pixels: width, height and scale of the picture, and what is known of its source. Numbers
/// are of 8 bytes and little-endian.
struct ThumbnailFacts {
    private let size: PixelSize
    private let scale: Double
    private let source: StoredInfo

    private static let length = 24

    init(_ image: Image) {
        size = image.size
        scale = image.scale
        source = StoredInfo(image)
    }

    /// `nil` for what was not made by ``encoded``, or says what no picture can be.
    init?(decoding data: Data) {
        guard data.count >= Self.length, let source = StoredInfo(decoding: data.dropFirst(Self.length)) else {
            return nil
        }
        let numbers = data.withUnsafeBytes { bytes in
            (0..<3).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        size = PixelSize(width: Int(clamping: numbers[0]), height: Int(clamping: numbers[1]))
        scale = Double(bitPattern: numbers[2])
        self.source = source
        guard PixelBuffer.rowByteCount(size) != nil, scale.isFinite, scale > 0 else { return nil }
    }

    var encoded: Data {
        var data = Data()
        for number in [UInt64(size.width), UInt64(size.height), scale.bitPattern] {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        return data + source.encoded
    }

    func image(_ pixels: (PixelSize) -> PixelBuffer?) -> Image? {
        pixels(size).map { source.applied(to: $0, scale: scale) }
    }
}
