import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeDisk
import TintypePNG
import TintypeTesting

@testable import TintypeShared

/// Pipelines on two machines, each with a disk cache of its own, and one store.
@Suite(.timeLimited) struct TwoMachineTests {
    /// A machine: a pipeline with memory, a disk cache in a folder of its own, and a shared cache.
    private final class Machine: Sendable {
        let loader = FakeLoader()
        let disk: DiskCache
        let shared: SharedCache
        let pipeline: ImagePipeline
        private let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")

        init(_ store: FakeSharedStore, readLimit: Duration = .seconds(60)) {
            var settings = SharedCacheConfiguration()
            settings.readLimit = readLimit
            settings.readWait = readLimit...readLimit
            // The other tests of a busy machine may keep the threads for files for long.
            (settings.writeLimit, settings.flushLimit) = (.seconds(3600), .seconds(3600))
            disk = DiskCache(directory: folder)
            shared = SharedCache(store, configuration: settings, clock: StoreClock())
            var configuration = PipelineConfiguration()
            configuration.loaders = [loader]
            configuration.coders = ImageCoderRegistry(decoders: [PNGDecoder()], encoders: [PNGEncoder()])
            configuration.cache = ImageCache(disk: TieredDataCache([disk, shared]))
            pipeline = ImagePipeline(configuration)
        }

        deinit {
            try? FileManager.default.removeItem(at: folder)
        }

        /// The number of loads from the origin.
        var loads: Int { loader.count(TwoMachineTests.address) }

        func answer(_ data: Data) { loader.setAnswer(.data(data), for: TwoMachineTests.address) }
    }

    private static let address = "https://example.org/a.png"
    private let store = FakeSharedStore()

    /// A small image in which all pixels differ.
    private static func pixels() throws -> PixelBuffer {
        try .drawn(PixelSize(width: 16, height: 12)) { x, y in Pixel(red: UInt8(16 * x), green: UInt8(20 * y), blue: 9)
        }
    }

    private static func png() throws -> Data {
        try PNGEncoder().encode(pixels(), as: .png, options: EncodeOptions())
    }

    private func original() throws -> ImageRequest { ImageRequest(url: try #require(URL(string: Self.address))) }

    /// The request of a rendition that is stored, because it differs from the original.
    private func rendition() throws -> ImageRequest {
        try original().transformed(by: CropTransformer(to: part)).with { $0.policy.caching.form = .encoded(.png) }
    }

    private let part = PixelRect(x: 2, y: 2, size: PixelSize(width: 8, height: 8))

    @Test func theSecondMachineLoadsNoOriginalFromTheOrigin() async throws {
        let (first, second) = (Machine(store), Machine(store))
        first.answer(try Self.png())
        let request = try original()
        _ = try await first.pipeline.image(for: request)
        try await first.pipeline.flush()
        let image = try await second.pipeline.image(for: request)
        #expect(first.loads == 1 && second.loads == 0 && second.shared.stats.hits == 1)
        #expect(PixelDifference(between: image.pixels, and: try Self.pixels())?.maximum == 0)
        // The hit is on the disk of the second machine now.
        try await second.disk.flush()
        let stored = try await second.disk.entry(for: request.key.original)
        #expect(try stored?.data == Self.png())
    }

    @Test func theSecondMachineMakesNoRenditionAgain() async throws {
        let (first, second) = (Machine(store), Machine(store))
        first.answer(try Self.png())
        let request = try rendition()
        let made = try await first.pipeline.image(for: request)
        try await first.pipeline.flush()
        #expect(store.keys.contains(SharedName.entry(request.key)))
        // Only the rendition can answer.
        try await store.remove(SharedName.entry(request.key.original))
        let image = try await second.pipeline.image(for: request)
        #expect(second.loads == 0 && PixelDifference(between: image.pixels, and: made.pixels)?.maximum == 0)
    }

    /// What a store can do to a read.
    enum Trouble: String, CaseIterable, Sendable {
        case failure, hanging, flippedBit, cut, empty, otherEntry
    }

    @Test(arguments: Trouble.allCases) func aBadStoreCostsNoErrorAndNoWrongImage(_ trouble: Trouble) async throws {
        let first = Machine(store)
        first.answer(try Self.png())
        _ = try await first.pipeline.image(for: try rendition())
        try await first.pipeline.flush()
        let otherEntry = try #require(otherValue())
        switch trouble {
        case .failure: store.behave(.failure(SharedFixture.failure))
        case .hanging: store.behave(.hanging)
        case .flippedBit:
            store.behave(
                .damaging { value in
                    var value = value
                    value[value.count / 2] ^= 1
                    return value
                }, in: [.read])
        case .cut: store.behave(.damaging { $0.prefix($0.count / 2) }, in: [.read])
        case .empty: store.behave(.damaging { _ in Data() }, in: [.read])
        case .otherEntry: store.behave(.damaging { _ in otherEntry }, in: [.read])
        }
        let second = Machine(store, readLimit: trouble == .hanging ? .milliseconds(20) : .seconds(60))
        second.answer(try Self.png())
        let made = try await second.pipeline.image(for: try rendition())
        let image = try await second.pipeline.image(for: try original())
        let difference = PixelDifference(between: image.pixels, and: try Self.pixels())
        #expect(second.loads == 1 && difference?.maximum == 0)
        #expect(made.size == PixelSize(width: 8, height: 8) && made.pixels[0, 0] == image.pixels[2, 2])
        store.endHangs()
        // Calls that fail or hang are not awaited: what they would write is lost, and nothing else is.
        store.behave(.normal)
        try await second.disk.flush()
        let isStored = try await second.disk.contains(try original().key)
        #expect(isStored)
    }

    private func otherValue() -> Data? {
        let key = CacheKey(source: "https://example.org/b.png")
        return SharedEntry(key: key, entry: CacheEntry(data: Data([1]), format: .png), stored: Date()).encoded
    }

    /// Counts lookups on disk, which include those in shared tiers.
    private final class LookupCounter: PipelineObserver {
        let results = Shared<[Bool]>([])

        func observe(_ event: PipelineEvent) {
            if case .lookedUp(_, .disk, let found) = event { results.withLock { $0.append(found) } }
        }
    }

    @Test func aHitInTheStoreIsObservedAsOneHit() async throws {
        let (first, second, counter) = (Machine(store), Machine(store), LookupCounter())
        first.answer(try Self.png())
        let request = try original()
        _ = try await first.pipeline.image(for: request)
        try await first.pipeline.flush()
        _ = try await second.pipeline.image(for: request.overrides(RequestOverrides(observers: [counter])))
        #expect(counter.results.now == [true])
    }

    /// More loads than there are threads for the disk wait for the store, and what is on disk is still found.
    @Test func noThreadOfThePipelineWaitsForTheStore() async throws {
        let (machine, gate, count) = (Machine(store), Gate(), 4 * ProcessInfo.processInfo.activeProcessorCount + 8)
        machine.answer(try Self.png())
        let request = try original()
        _ = try await machine.pipeline.image(for: request)
        try await machine.pipeline.flush()
        try await machine.pipeline.configuration.cache.clear(.memory)
        store.behave(.gated(gate), in: [.read])
        let pipeline = machine.pipeline
        let loads = try (0..<count).map { index in
            let address = "https://example.org/\(index).png"
            machine.loader.setAnswer(.data(try Self.png()), for: address)
            let request = ImageRequest(url: try #require(URL(string: address)))
            return Task { try await pipeline.image(for: request) }
        }
        await gate.waitForArrivals(count)
        _ = try await pipeline.image(for: request)
        #expect(machine.loads == 1)
        gate.open()
        for load in loads { _ = try await load.value }
    }

    @Test func aRemovalReachesTheStore() async throws {
        let (first, second) = (Machine(store), Machine(store))
        for machine in [first, second] { machine.answer(try Self.png()) }
        let request = try original()
        _ = try await first.pipeline.image(for: request)
        try await first.pipeline.flush()
        try await first.pipeline.configuration.cache.remove(request.key, from: .all)
        await first.shared.flush()
        _ = try await second.pipeline.image(for: request)
        #expect(second.loads == 1)
    }

    /// A value that decodes as an entry but holds no image, such as one of a program with another serializer.
    @Test func anEntryThatIsNoImageIsReplaced() async throws {
        let request = try original()
        let entry = CacheEntry(data: Data("<html>".utf8), format: .png)
        let value = SharedEntry(key: request.key, entry: entry, stored: Date()).encoded
        store.setData(try #require(value), for: SharedName.entry(request.key))
        let machine = Machine(store)
        machine.answer(try Self.png())
        _ = try await machine.pipeline.image(for: request)
        try await machine.pipeline.flush()
        let stored = try #require(store.data(for: SharedName.entry(request.key)))
        #expect(machine.loads == 1)
        #expect(try SharedEntry(decoding: stored, for: request.key)?.entry.data == Self.png())
    }
}
