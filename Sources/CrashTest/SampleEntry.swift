import Foundation
import TintypeCore
import TintypeTesting

/// Entries that can be told from any other bytes without knowing what was stored last: what is in one follows from its
/// number and a word that its metadata has.
struct SampleEntry {
    /// Bytes of the longest.
    let largest: Int

    static func key(_ number: Int) -> CacheKey { CacheKey(source: "https://images.example.com/\(number).jpg") }

    func entry(_ number: Int, word: UInt64) -> CacheEntry {
        CacheEntry(
            data: bytes(number, word), format: .png,
            metadata: withUnsafeBytes(of: word.littleEndian) { Data($0) }, created: created(word))
    }

    func isSound(_ entry: CacheEntry, _ number: Int) -> Bool {
        guard entry.metadata.count == 8, entry.format == .png else { return false }
        let word = UInt64(littleEndian: entry.metadata.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        return entry.created == created(word) && entry.data == bytes(number, word)
    }

    private func created(_ word: UInt64) -> Date { Date(timeIntervalSince1970: Double(word % 1_000_000_000)) }

    private func bytes(_ number: Int, _ word: UInt64) -> Data {
        var random = SeededRandom(seed: word ^ UInt64(number))
        let words = Int(random.next() % UInt64(largest / 8)) + 1
        return (0..<words).reduce(into: Data(capacity: 8 * words)) { data, _ in
            withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) }
        }
    }
}

/// Pictures of which the same can be said: every pixel is that of the first, which is of its number.
enum SamplePicture {
    static func image(_ number: Int, shade: UInt8) throws(TintypeError) -> Image {
        let size = PixelSize(width: 20 + number % 7, height: 9)
        let pixel = Pixel(red: shade, green: UInt8(truncatingIfNeeded: number), blue: shade / 2)
        return Image(pixels: try .filled(pixel, size), info: ImageInfo(format: .jpeg, size: size))
    }

    static func isSound(_ image: Image, _ number: Int) -> Bool {
        guard image.size == PixelSize(width: 20 + number % 7, height: 9), image.info.format == .jpeg else {
            return false
        }
        let pixel = image.pixels[0, 0]
        guard pixel == Pixel(red: pixel.red, green: UInt8(truncatingIfNeeded: number), blue: pixel.red / 2) else {
            return false
        }
        return (0..<image.size.height).allSatisfy { y in
            (0..<image.size.width).allSatisfy { image.pixels[$0, y] == pixel }
        }
    }
}
