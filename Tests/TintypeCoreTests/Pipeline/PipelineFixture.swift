import Foundation
import TintypeCore
import TintypeTesting

/// A pipeline over fakes: a loader that answers from a table, a decoder that counts, caches in memory.
struct PipelineFixture {
    let loader: FakeLoader
    let clock = ManualClock()
    let decoder: GatedDecoder
    let memory = MemoryCache(limits: CacheLimits(cost: 1 << 20))
    let disk = FakeDataCache()
    let pipeline: ImagePipeline

    /// Bytes that are recognized as a PNG. The decoder returns a white pixel for any bytes.
    static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 7, count: 100)

    init(
        decoderIsOpen: Bool = true, info: ImageInfo = ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)),
        loader: FakeLoader = FakeLoader(), change: (inout PipelineConfiguration) -> Void = { _ in }
    ) {
        self.loader = loader
        decoder = GatedDecoder(info: info, isOpen: decoderIsOpen)
        var configuration = PipelineConfiguration()
        configuration.loaders = [loader]
        configuration.coders = ImageCoderRegistry(decoders: [decoder], encoders: [FakeEncoder()])
        configuration.cache = ImageCache(memory: memory, disk: disk)
        configuration.time = clock.timeSource
        change(&configuration)
        pipeline = ImagePipeline(configuration)
    }

    func request(_ name: String = "a") -> ImageRequest {
        ImageRequest(source: .closure(id: name) { Data() })
    }

    /// The identity of the source of ``request(_:)``.
    func identity(_ name: String = "a") -> String { "closure:\(name)" }

    /// Stores original bytes in the disk cache, as a load an hour ago would have.
    func storeOnDisk(_ name: String = "a", data: Data = png, metadata: Data = Data()) {
        let entry = CacheEntry(data: data, format: .png, metadata: metadata, created: clock.date)
        disk.store(entry, for: request(name).key)
        clock.advance(by: .seconds(3600))
    }

    func answer(_ name: String = "a", _ answer: FakeLoader.Answer = .data(png)) {
        loader.setAnswer(answer, for: identity(name))
    }
}

/// Encodes any pixels as the same few bytes.
struct FakeEncoder: ImageEncoder {
    let formats: Set<ImageFormat> = [.png, .jpeg]

    func encode(_ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions) throws(TintypeError) -> Data {
        PipelineFixture.png
    }
}

/// A disk cache in memory that counts its reads.
final class FakeDataCache: DataCaching {
    private struct State: Sendable {
        var entries: [CacheKey: CacheEntry] = [:]
        var reads = 0
        var flushes = 0
    }

    private let state = Shared(State())
    /// A gate at which flushes wait; `nil` for none.
    let flushGate = Shared<Gate?>(nil)

    var keys: Set<CacheKey> { Set(state.now.entries.keys) }
    var reads: Int { state.now.reads }

    func entry(for key: CacheKey) -> CacheEntry? {
        state.withLock { state in
            state.reads += 1
            return state.entries[key]
        }
    }

    func store(_ entry: CacheEntry, for key: CacheKey) { state.withLock { $0.entries[key] = entry } }
    func clear() { state.withLock { $0.entries = [:] } }
    func remove(_ key: CacheKey) { state.withLock { $0.entries[key] = nil } }
    func contains(_ key: CacheKey) -> Bool { state.now.entries[key] != nil }
    func removeAll() async throws(TintypeError) { clear() }

    func flush() async throws(TintypeError) {
        state.withLock { $0.flushes += 1 }
        if let gate = flushGate.now { _ = await gate.wait() }
    }

    var flushes: Int { state.now.flushes }
    func stored(_ key: CacheKey) -> CacheEntry? { state.now.entries[key] }

    /// Waits until so many reads have begun, or until the task is cancelled.
    func waitForReads(_ count: Int) async { await state.wait { $0.reads >= count } }
}

/// Returns the pixels unchanged, and counts its calls.
struct CountingTransformer: ImageTransformer {
    let identifier: String
    let count = Shared(0)

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        count.withLock { $0 += 1 }
        return pixels
    }
}

/// Counts the decodes that have begun, whether they run or wait for a thread.
final class DecodesBegun: PipelineObserver {
    let count = Shared(0)

    func observe(_ event: PipelineEvent) {
        if case .stageBegan(let run) = event, run.stage == .decode { count.withLock { $0 += 1 } }
    }
}

/// Runs blocking work on a thread of its own, because it may not block a cooperative thread.
func onNewThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}

extension JobContext {
    /// Waits until the job has a priority, or until the task is cancelled.
    func waitForPriority(_ priority: ImagePriority) async {
        let record = PriorityRecord()
        let follower = addFollower(record)
        defer { removeFollower(follower) }
        await record.priority.wait { $0 == priority }
    }
}

/// Records the newest priority of a job.
private struct PriorityRecord: PriorityFollower {
    let priority = Shared<ImagePriority?>(nil)

    func follow(_ priority: ImagePriority) { self.priority.withLock { $0 = priority } }
}
