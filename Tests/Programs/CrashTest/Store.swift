import Foundation
import TintypeCore
import TintypeDisk
import TintypeTesting

/// A directory with a disk cache and its thumbnails, and the checks on it.
struct Store {
    let directory: URL
    let entries: Int
    let sample: SampleEntry

    func makeCache(_ limits: DiskLimits = DiskLimits(), _ time: TimeSource = .system) -> DiskCache {
        DiskCache(directory: directory, limits: limits, time: time)
    }

    /// Checks that no key gives wrong bytes and no file is damaged.
    ///
    /// - Parameter mayBeDamaged: Whether files may have been changed outside the cache.
    /// - Returns: The number of keys that gave their bytes.
    func checkEntries(mayBeDamaged: Bool, _ context: String) -> Int {
        let cache = makeCache()
        let thumbnails = ThumbnailCache(beside: cache)
        var correctReads = 0
        for number in 0..<entries {
            if let entry = cache.entry(for: SampleEntry.key(number)) {
                guard sample.isIntact(entry, number) else { CrashTest.fail("wrong bytes for \(number), \(context)") }
                correctReads += 1
            }
            if let image = thumbnails.image(for: SampleEntry.key(number)) {
                guard SampleImage.isIntact(image, number) else {
                    CrashTest.fail("wrong pixels for \(number), \(context)")
                }
                correctReads += 1
            }
        }
        let damaged = cache.stats.damaged + thumbnails.disk.stats.damaged
        guard mayBeDamaged || damaged == 0 else { CrashTest.fail("\(damaged) damaged entries, \(context)") }
        return correctReads
    }

    /// Checks that the index matches the files, that every file is found by its key, and that no temporary file is
    /// left.
    func checkBookkeeping(_ context: String) async throws {
        var count = 0
        for cache in [makeCache(), ThumbnailCache(beside: makeCache()).disk] {
            let usage = try await cache.usage()
            let sound = try await cache.verify().sound
            guard usage == sound else {
                CrashTest.fail("the totals are \(usage), but there are \(sound), \(context)")
            }
            let left = Self.files(cache.directory.appending(path: "v2/tmp"))
            guard left.isEmpty else { CrashTest.fail("\(left.count) temporary files are left, \(context)") }
            count += sound.count
        }
        let found = checkEntries(mayBeDamaged: false, context)
        guard found == count else { CrashTest.fail("only \(found) of \(count) entries are found, \(context)") }
    }

    /// Returns every regular file below a folder.
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

    /// Creates an empty temporary directory.
    static func temporary() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// Entries that can be verified without knowing what was stored last: the number of the entry and a word in its
/// metadata determine all other bytes.
struct SampleEntry {
    /// The maximum size of an entry's data, in bytes.
    let maximumByteCount: Int

    static func key(_ number: Int) -> CacheKey { CacheKey(source: "https://images.example.com/\(number).jpg") }

    func entry(_ number: Int, word: UInt64) -> CacheEntry {
        CacheEntry(
            data: bytes(number, word), format: .png,
            metadata: withUnsafeBytes(of: word.littleEndian) { Data($0) }, created: created(word))
    }

    func isIntact(_ entry: CacheEntry, _ number: Int) -> Bool {
        guard entry.metadata.count == 8, entry.format == .png else { return false }
        let word = UInt64(littleEndian: entry.metadata.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        return entry.created == created(word) && entry.data == bytes(number, word)
    }

    private func created(_ word: UInt64) -> Date { Date(timeIntervalSince1970: Double(word % 1_000_000_000)) }

    private func bytes(_ number: Int, _ word: UInt64) -> Data {
        var random = SeededRandom(seed: word ^ UInt64(number))
        let words = Int(random.next() % UInt64(maximumByteCount / 8)) + 1
        return (0..<words).reduce(into: Data(capacity: 8 * words)) { data, _ in
            withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) }
        }
    }
}

/// Images that can be verified in the same way: the number of the image and the first pixel determine all other pixels.
enum SampleImage {
    static func image(_ number: Int, shade: UInt8) throws(TintypeError) -> Image {
        let size = PixelSize(width: 20 + number % 7, height: 9)
        let pixel = Pixel(red: shade, green: UInt8(truncatingIfNeeded: number), blue: shade / 2)
        return Image(pixels: try .filled(pixel, size: size), info: ImageInfo(format: .jpeg, size: size))
    }

    static func isIntact(_ image: Image, _ number: Int) -> Bool {
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
