import Foundation
import TintypeCore
import TintypeDisk
import TintypeTesting

/// A directory with a disk cache and its thumbnails, and what must be true of it.
struct Store {
    let directory: URL
    let entries: Int
    let sample: SampleEntry

    func makeCache(_ limits: DiskLimits = DiskLimits(), _ time: TimeSource = .system) -> DiskCache {
        DiskCache(directory: directory, limits: limits, time: time)
    }

    /// How many of the keys gave their bytes; that the others gave nothing is what is checked.
    ///
    /// - Parameter mayBeDamaged: whether files may have been changed behind the cache's back.
    func checked(mayBeDamaged: Bool, _ context: String) -> Int {
        let cache = makeCache()
        let thumbnails = ThumbnailCache(beside: cache)
        var found = 0
        for number in 0..<entries {
            if let entry = cache.entry(for: SampleEntry.key(number)) {
                guard sample.isSound(entry, number) else { CrashTest.fail("wrong bytes for \(number), \(context)") }
                found += 1
            }
            if let image = thumbnails.image(for: SampleEntry.key(number)) {
                guard SampleImage.isSound(image, number) else {
                    CrashTest.fail("wrong pixels for \(number), \(context)")
                }
                found += 1
            }
        }
        let damaged = cache.stats.damaged + thumbnails.disk.stats.damaged
        guard mayBeDamaged || damaged == 0 else { CrashTest.fail("\(damaged) damaged entries, \(context)") }
        return found
    }

    /// That the bookkeeping says what the files are, and that no half-written file is left.
    func checkBookkeeping(_ context: String) async throws {
        for cache in [makeCache(), ThumbnailCache(beside: makeCache()).disk] {
            let usage = try await cache.usage()
            let files = Self.files(cache.directory.appending(path: "v2/entries"))
            let bytes = files.reduce(0) { $0 + $1.byteCount }
            guard usage == DiskUsage(count: files.count, byteCount: bytes) else {
                CrashTest.fail("\(usage) in the books, \(files.count) files of \(bytes) bytes, \(context)")
            }
            let left = Self.files(cache.directory.appending(path: "v2/tmp"))
            guard left.isEmpty else { CrashTest.fail("\(left.count) half-written files are left, \(context)") }
        }
    }

    /// Every regular file below a folder.
    static func files(_ folder: URL) -> [(path: String, byteCount: Int)] {
        let root = folder.path(percentEncoded: false)
        let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
        return all.compactMap { name in
            var status = stat()
            let path = "\(root)/\(name)"
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return (path, Int(status.st_size))
        }
    }

    static func temporary() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

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
enum SampleImage {
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
