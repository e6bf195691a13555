import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct ImageLoaderChainTests {
    /// Loads closure sources with these identities. The bytes are its name.
    private struct NamedLoader: ImageLoader {
        let name: String
        let identities: Set<String>

        func canLoad(_ source: ImageSource) -> Bool { identities.contains(source.identity) }

        @concurrent
        func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
            LoadedBytes(data: Data(name.utf8), origin: .custom)
        }

        func verdict(
            on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
        ) -> StoredVerdict {
            .stale(usableOnError: name == "second")
        }
    }

    private static let first = NamedLoader(name: "first", identities: ["closure:a", "closure:b"])
    private static let second = NamedLoader(name: "second", identities: ["closure:b"])

    private func source(_ id: String) -> ImageSource { .closure(id: id) { Data() } }

    private func load(_ id: String, by chain: ImageLoaderChain) async throws -> String {
        let context = LoadContext(received: ReceivedBytes(limit: 100), job: JobContext(priority: .normal))
        return String(decoding: try await chain.load(source(id), context: context).data, as: UTF8.self)
    }

    @Test func theLastLoaderOfASourceLoadsIt() async throws {
        let chain = ImageLoaderChain([Self.first, Self.second])
        #expect(try await load("b", by: chain) == "second")
        #expect(try await load("a", by: chain) == "first")
        #expect(try await load("b", by: ImageLoaderChain([Self.second, Self.first])) == "first")
    }

    @Test func aChainLoadsTheSourcesOfItsLoaders() {
        let chain = ImageLoaderChain([Self.first, Self.second])
        #expect(chain.canLoad(source("a")) && chain.canLoad(source("b")) && !chain.canLoad(source("c")))
        #expect(!ImageLoaderChain([]).canLoad(source("a")))
    }

    @Test func aSourceWithoutALoaderIsInvalid() async {
        let error = await expectError(.invalidSource) {
            try await load("c", by: ImageLoaderChain([Self.first, Self.second]))
        }
        #expect(error?.subject == "closure:c")
    }

    @Test func theLoaderOfASourceGivesTheVerdict() {
        let chain = ImageLoaderChain([Self.first, Self.second])
        let entry = CacheEntry(data: Data(), format: nil)
        func verdict(_ id: String) -> StoredVerdict {
            chain.verdict(on: entry, for: source(id), extras: RequestExtras(), at: Date())
        }
        #expect(verdict("b") == .stale(usableOnError: true))
        #expect(verdict("a") == .stale(usableOnError: false))
        #expect(verdict("c") == .fresh)
    }

    @Test func chainsNest() async throws {
        let chain = ImageLoaderChain([Self.first, ImageLoaderChain([Self.second])])
        #expect(try await load("b", by: chain) == "second")
        #expect((chain.loader(for: ImageRequest(source: source("b"))) as? NamedLoader)?.name == "second")
    }
}

/// The threads on which the pipeline runs user code.
@Suite(.timeLimited) struct LoaderThreadTests {
    /// Records the thread on which it is called.
    private struct RecordingLoader: ImageLoader {
        let thread: Shared<pthread_t?>
        let hasRun: DispatchSemaphore

        func canLoad(_ source: ImageSource) -> Bool { true }

        @concurrent
        func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
            thread.withLock { $0 = pthread_self() }
            hasRun.signal()
            return LoadedBytes(data: PipelineFixture.png, origin: .custom)
        }
    }

    @Test func aLoaderDoesNotRunOnTheThreadOfAnActor() async throws {
        let loader = RecordingLoader(thread: Shared(nil), hasRun: DispatchSemaphore(value: 0))
        let fixture = PipelineFixture {
            $0.loaders = [loader]
            $0.cache = ImageCache()
        }
        let caller = await startAndWait(fixture, loader)
        #expect(loader.thread.now != nil && loader.thread.now != caller)
    }

    /// Starts a load on the main actor, and blocks its thread until the loader has run.
    @MainActor private func startAndWait(_ fixture: PipelineFixture, _ loader: RecordingLoader) -> pthread_t {
        _ = fixture.pipeline.start(fixture.request())
        loader.hasRun.wait()
        return pthread_self()
    }
}
