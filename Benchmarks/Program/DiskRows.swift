import CBenchmarkControls
import Foundation
import Tintype
import TintypeCore

/// The disk cache beside plain files and SQLite, in a warm page cache.
enum DiskRows {
    /// Arguments: the number of entries, the bytes of each, and what else holds the same entries: `all`, or `none`.
    ///
    /// A repetition is ``Store/batch`` operations.
    static func entries(_ arguments: [String]) async throws -> Contest {
        let store = try Store(count: try arguments.number(0), size: try arguments.number(1))
        try await store.fill(hasControls: try arguments.argument(2) == "all")
        var contest = Contest()
        contest.add("get") { for key in store.nextKeys() { try check(store.has(key)) } }
        contest.add("get files") { for path in store.nextPaths() { try PlainFile.read(path) } }
        contest.add("get sqlite") { try store.getFromDatabase() }
        contest.add("miss") { for key in store.missingKeys { try check(!store.has(key)) } }
        contest.add("miss files") {
            var facts = stat()
            for path in store.missingPaths { try check(stat(path, &facts) != 0) }
        }
        contest.sides["put"] = { for _ in 0..<$0 { try await store.put() } }
        contest.sides["put, recorded"] = { for _ in 0..<$0 { try await store.putAndRecord() } }
        contest.add("put files") { try store.putFiles() }
        contest.add("put sqlite") { try store.putIntoDatabase() }
        contest.sides["open"] = { for _ in 0..<$0 { try await store.open() } }
        contest.values["µs to trim an entry"] = { try await store.trimTime() }
        contest.values["bytes on disk a byte"] = {
            Double(try store.allocatedBytes()) / Double(store.count * store.size)
        }
        contest.values["allocations of a put"] = {
            let keys = store.nextPutKeys()
            control_count_allocations()
            try await store.put(keys)
            return Double(control_counted_allocations()) / Double(store.batch)
        }
        return contest
    }

    /// A thumbnail of 200 × 200 pixels from the cache of pixels, and the same decoded from its JPEG.
    ///
    /// Arguments: a JPEG.
    static func pixels(_ arguments: [String]) async throws -> Contest {
        let square = ResizeTransformer(to: PixelSize(width: 200, height: 200), mode: .fill)
        let image = try JPEGDecoder().decode(try arguments.bytes(0), context: DecodeContext()).transformed(by: square)
        let jpeg = try JPEGEncoder().encode(image.pixels, as: .jpeg, options: EncodeOptions())
        let thumbnails = ThumbnailCache(beside: DiskCache(directory: try Scratch.makeFolder()))
        let key = CacheKey(source: "https://images.example.com/1.jpg", rendition: square.identifier)
        thumbnails.store(image, for: key)
        try await thumbnails.flush()
        var contest = Contest()
        contest.add("ours") { try check(thumbnails.image(for: key) != nil) }
        contest.add("decode") { _ = try JPEGDecoder().decode(jpeg, context: DecodeContext()) }
        return contest
    }
}

/// The same entries in a cache, in files and in a database.
private final class Store {
    let count: Int
    let size: Int
    /// The operations of one repetition.
    let batch: Int
    private let keys: [CacheKey]
    private let paths: [String]
    let missingKeys: [CacheKey]
    let missingPaths: [String]
    private let cache: DiskCache
    private let folder: URL
    private let files: String
    private let database: OpaquePointer
    private let bytes: Data
    private let order: [Int]
    private let next = Counter()
    private let nextPut: Counter

    init(count: Int, size: Int) throws {
        self.count = count
        self.size = size
        batch = min(count, 1_000)
        bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let folder = try Scratch.makeFolder()
        self.folder = folder
        files = folder.appending(path: "files").path(percentEncoded: false)
        cache = Self.cache(folder)
        guard let database = control_database_open(folder.appending(path: "sqlite").path(percentEncoded: false)) else {
            throw BenchmarkError("SQLite cannot open its file")
        }
        self.database = database
        order = (0..<count).shuffled()
        nextPut = Counter(2 * count)
        let folderOfFiles = files
        keys = (0..<count).map(Self.key)
        paths = (0..<count).map { PlainFile.path($0, in: folderOfFiles) }
        missingKeys = (0..<batch).map { Self.key(count + $0) }
        missingPaths = (0..<batch).map { PlainFile.path(count + $0, in: folderOfFiles) }
    }

    private static func cache(_ folder: URL) -> DiskCache {
        DiskCache(directory: folder.appending(path: "cache"), limits: DiskLimits(byteCount: .max, age: nil))
    }

    private static func name(_ number: Int) -> String {
        "https://images.example.com/\(1_000_000 + number)/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx800.jpg"
    }

    private static func key(_ number: Int) -> CacheKey { CacheKey(source: name(number)) }

    func has(_ key: CacheKey) -> Bool { cache.entry(for: key)?.data.count == size }

    func fill(hasControls: Bool) async throws {
        let entry = CacheEntry(data: bytes, format: .jpeg)
        if hasControls { PlainFile.makeFolders(in: files) }
        for number in 0..<count {
            cache.store(entry, for: Self.key(number))
            if hasControls {
                try PlainFile.write(bytes, to: PlainFile.path(number, in: files), temporary: "\(files)/temporary")
                try put(number)
            }
            if number % 1_000 == 999 { try await cache.flush() }
        }
        try await cache.flush()
        // Reads everything once, and writes the uses that this records.
        for number in order { try check(has(keys[number])) }
        try await cache.flush()
    }

    // MARK: Reading

    /// The numbers of the next batch, in random order.
    private func nextNumbers() -> [Int] {
        (0..<batch).map { _ in order[next.increment() % count] }
    }

    func nextKeys() -> [CacheKey] { nextNumbers().map { keys[$0] } }
    func nextPaths() -> [String] { nextNumbers().map { paths[$0] } }

    func getFromDatabase() throws {
        for number in nextNumbers() { try check(control_database_get(database, Self.name(number)) == size) }
    }

    /// Opens the cache as another process does, with the totals.
    func open() async throws { try check(try await Self.cache(folder).usage().count >= count) }

    /// Removes 1 % of the bytes. Returns microseconds for each entry that is removed.
    func trimTime() async throws -> Double {
        let usage = try await cache.usage()
        let start = ContinuousClock.now
        let removed = try await cache.trim(to: usage.byteCount - usage.byteCount / 100)
        return (ContinuousClock.now - start) / .microseconds(max(1, removed.count))
    }

    // MARK: Writing

    private func nextPuts() -> [Int] { (0..<batch).map { _ in nextPut.increment() } }

    func nextPutKeys() -> [CacheKey] { nextPuts().map(Self.key) }

    func put() async throws { try await put(nextPutKeys()) }

    func put(_ keys: [CacheKey]) async throws {
        let entry = CacheEntry(data: bytes, format: .jpeg)
        for key in keys { cache.store(entry, for: key) }
        try await cache.flush()
    }

    /// Also waits until the bookkeeping contains the entries.
    func putAndRecord() async throws {
        try await put()
        _ = try await cache.usage()
    }

    func putFiles() throws {
        for number in nextPuts() {
            try PlainFile.write(bytes, to: PlainFile.path(number, in: files), temporary: "\(files)/temporary")
        }
    }

    func putIntoDatabase() throws { for number in nextPuts() { try put(number) } }

    private func put(_ number: Int) throws {
        let isStored = bytes.withUnsafeBytes { raw in
            guard let base = raw.bindMemory(to: UInt8.self).baseAddress else { return false }
            return control_database_put(database, Self.name(number), base, raw.count)
        }
        try check(isStored, "SQLite cannot write")
    }

    /// The bytes that the files of the cache occupy.
    func allocatedBytes() throws -> Int {
        let keys: Set<URLResourceKey> = [.isRegularFileKey]
        let root = folder.appending(path: "cache")
        var total = 0
        for case let url as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: Array(keys))
            ?? .init()
        {
            var facts = stat()
            try check(lstat(url.path(percentEncoded: false), &facts) == 0)
            total += Int(facts.st_blocks) * 512
        }
        return total
    }
}

/// Plain files, in the folders that the cache would use.
enum PlainFile {
    /// The path of a file, in a folder chosen by a hash of its number.
    static func path(_ number: Int, in folder: String) -> String {
        let hash = UInt32(truncatingIfNeeded: number) &* 2_654_435_769
        return "\(folder)/\(String(hash >> 24, radix: 16))/\(String(hash >> 20 & 15, radix: 16))/\(number)"
    }

    static func makeFolders(in folder: String) {
        mkdir(folder, 0o700)
        for first in 0..<256 {
            mkdir("\(folder)/\(String(first, radix: 16))", 0o700)
            for second in 0..<16 { mkdir("\(folder)/\(String(first, radix: 16))/\(String(second, radix: 16))", 0o700) }
        }
    }

    /// Opens, stats, reads and closes a file.
    @discardableResult
    static func read(_ path: String) throws -> Data {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        try check(descriptor >= 0, "cannot open \(path)")
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, let memory = malloc(Int(facts.st_size)) else {
            throw BenchmarkError("cannot read \(path)")
        }
        let count = Foundation.read(descriptor, memory, Int(facts.st_size))
        return Data(bytesNoCopy: memory, count: max(0, count), deallocator: .free)
    }

    /// Writes, closes and renames a file.
    static func write(_ bytes: Data, to path: String, temporary: String) throws {
        let descriptor = Foundation.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try check(descriptor >= 0, "cannot create \(temporary)")
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        try check(written == bytes.count && rename(temporary, path) == 0, "cannot write \(path)")
    }
}
