import Foundation
import TintypeCore
import TintypeDisk

/// Changes single bytes in every file of a sample store. Each key must then give its own bytes or a miss.
struct ByteChanges {
    /// The step between the tried changes of an entry's bytes. 1 tries every other value of every byte.
    let entryStep: Int
    /// The step between the changed bytes of the other files. Each is changed to one other value.
    let indexStep: Int

    private static let entries = 6
    private static let thumbnails = 2

    func run() async throws {
        let entries = try await withStore(changeEntries)
        let others = try await withStore(changeOthers)
        print("bytes: \(entries) changes of entries and \(others) of other files, no wrong bytes")
    }

    private func withStore(_ body: (Store) async throws -> Int) async throws -> Int {
        let folder = try Store.temporary()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = Store(directory: folder, entries: Self.entries, sample: SampleEntry(maximumByteCount: 300))
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
        _ = try await cache.usage()
    }

    /// Changes the files of entries: thumbnails, because small encoded images have none. Every change must be a miss.
    ///
    /// - Returns: The number of changes tried.
    private func changeEntries(_ store: Store) throws -> Int {
        let cache = store.makeCache()
        let thumbnails = ThumbnailCache(beside: cache)
        var tried = 0
        for number in 0..<Self.thumbnails {
            let key = SampleEntry.key(number)
            tried += try change(thumbnails.disk.path(for: key)) { thumbnails.image(for: key) == nil }
        }
        guard store.checkEntries(mayBeDamaged: false, "restored") == Self.entries + Self.thumbnails else {
            CrashTest.fail("the restored entries are not found")
        }
        return tried
    }

    private func change(_ path: String, isMiss: () -> Bool) throws -> Int {
        let intact = try Data(contentsOf: URL(filePath: path))
        var (number, tried) = (0, 0)
        for offset in intact.indices {
            for value in 0...UInt8.max where value != intact[offset] {
                number += 1
                guard number % entryStep == 0 else { continue }
                var changed = intact
                changed[offset] = value
                try replace(path, with: changed)
                guard isMiss() else { CrashTest.fail("changing byte \(offset) of \(path) to \(value) is not a miss") }
                tried += 1
            }
        }
        try replace(path, with: intact)
        CrashTest.report("\(tried) changes of an entry")
        return tried
    }

    /// Changes the index, the lock files, the table of presence and the segments. Whatever they contain, each key must
    /// give its own bytes or a miss.
    ///
    /// - Returns: The number of changes tried.
    private func changeOthers(_ store: Store) async throws -> Int {
        // The journal of the index disappears with the end of its transaction, which may be now.
        let intact = Store.files(store.directory).compactMap { file in
            (try? Data(contentsOf: URL(filePath: file.path))).map { (file.path, $0) }
        }
        var tried = 0
        for (path, bytes) in intact where !path.contains("/entries/") {
            // Not the end of a segment, which is empty.
            let used = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
            for offset in stride(from: tried % indexStep, to: used, by: indexStep) {
                var changed = bytes
                changed[offset] ^= UInt8(offset % 255 + 1)
                try replace(path, with: changed)
                try await exercise(store, mayBeDamaged: path.contains("/segments/"), "byte \(offset) of \(path)")
                for (path, bytes) in intact { try replace(path, with: bytes) }
                tried += 1
                if tried % 10_000 == 0 { CrashTest.report("\(tried) changes of other files") }
            }
        }
        return tried
    }

    private func exercise(_ store: Store, mayBeDamaged: Bool, _ context: String) async throws {
        let cache = store.makeCache()
        _ = try? await cache.usage()
        cache.store(store.sample.entry(0, word: 5), for: SampleEntry.key(0))
        try? await cache.flush()
        _ = store.checkEntries(mayBeDamaged: mayBeDamaged, context)
    }

    /// Writes under another name and renames, because a mapped file must not be truncated.
    private func replace(_ path: String, with bytes: Data) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try bytes.write(to: URL(filePath: "\(path).new"))
        guard rename("\(path).new", path) == 0 else { CrashTest.fail("cannot rename \(path).new") }
    }
}
