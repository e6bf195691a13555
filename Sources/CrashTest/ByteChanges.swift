import Foundation
import TintypeCore
import TintypeDisk

/// Changes of single bytes of every file of a sample store: each key gives right bytes or nothing.
struct ByteChanges {
    /// Every how many changes of an entry's bytes are tried; 1 is each byte to each other value.
    let entryStep: Int
    /// Every how many bytes of the other files are changed, to one other value each.
    let indexStep: Int

    private static let entries = 6
    private static let thumbnails = 2

    func run() async throws {
        let entries = try await inStore(changeEntries)
        let others = try await inStore(changeOthers)
        print("bytes: \(entries) changes of entries, \(others) of other files, none gave wrong bytes")
    }

    private func inStore(_ body: (Store) async throws -> Int) async throws -> Int {
        let folder = try Store.temporary()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = Store(directory: folder, entries: Self.entries, sample: SampleEntry(largest: 300))
        try await fill(store)
        return try await body(store)
    }

    private func fill(_ store: Store) async throws {
        let cache = store.makeCache()
        let thumbnails = ThumbnailCache(beside: cache)
        for number in 0..<Self.entries {
            cache.store(store.sample.entry(number, word: UInt64(number) * 0x9E37_79B9), for: SampleEntry.key(number))
        }
        for number in 0..<Self.thumbnails {
            thumbnails.store(try SampleImage.image(number, shade: 99), for: SampleEntry.key(number))
        }
        try await cache.flush()
        try await thumbnails.flush()
        // So that nothing is left in the index's journal.
        _ = try await cache.usage()
    }

    /// Each key of a changed file is a miss.
    private func changeEntries(_ store: Store) throws -> Int {
        let cache = store.makeCache()
        let thumbnails = ThumbnailCache(beside: cache)
        var tried = 0
        for number in 0..<Self.entries {
            let key = SampleEntry.key(number)
            tried += try change(cache.path(for: key)) { cache.entry(for: key) == nil }
        }
        for number in 0..<Self.thumbnails {
            let key = SampleEntry.key(number)
            tried += try change(thumbnails.disk.path(for: key)) { thumbnails.image(for: key) == nil }
        }
        guard store.checked(mayBeDamaged: false, "restored") == Self.entries + Self.thumbnails else {
            CrashTest.fail("what was restored is not found")
        }
        return tried
    }

    private func change(_ path: String, isMiss: () -> Bool) throws -> Int {
        let sound = try Data(contentsOf: URL(filePath: path))
        var (number, tried) = (0, 0)
        for place in sound.indices {
            for value in 0...UInt8.max where value != sound[place] {
                number += 1
                guard number % entryStep == 0 else { continue }
                var changed = sound
                changed[place] = value
                try replace(path, with: changed)
                guard isMiss() else { CrashTest.fail("byte \(place) of \(path) may be \(value)") }
                tried += 1
            }
        }
        try replace(path, with: sound)
        CrashTest.tell("\(tried) changes of an entry")
        return tried
    }

    /// Those of the index and the signs of writers: whatever they say, each key gives right bytes or nothing.
    private func changeOthers(_ store: Store) async throws -> Int {
        // The index's journal goes when the last one who has it open lets it go, which may be now.
        let sound = Store.files(store.directory).compactMap { file in
            (try? Data(contentsOf: URL(filePath: file.path))).map { (file.path, $0) }
        }
        var tried = 0
        for (path, bytes) in sound where !path.contains("/entries/") {
            for place in stride(from: tried % indexStep, to: bytes.count, by: indexStep) {
                var changed = bytes
                changed[place] ^= UInt8(place % 255 + 1)
                try replace(path, with: changed)
                try await use(store, "byte \(place) of \(path)")
                for (path, bytes) in sound { try replace(path, with: bytes) }
                tried += 1
                if tried % 10_000 == 0 { CrashTest.tell("\(tried) changes of other files") }
            }
        }
        return tried
    }

    private func use(_ store: Store, _ context: String) async throws {
        let cache = store.makeCache()
        _ = try? await cache.usage()
        cache.store(store.sample.entry(0, word: 5), for: SampleEntry.key(0))
        try? await cache.flush()
        _ = store.checked(mayBeDamaged: false, context)
    }

    /// Under another name first, since a file that is mapped must not be cut.
    private func replace(_ path: String, with bytes: Data) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try bytes.write(to: URL(filePath: "\(path).new"))
        guard rename("\(path).new", path) == 0 else { CrashTest.fail("cannot rename \(path).new") }
    }
}
