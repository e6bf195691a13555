import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Loads of local files, which have no job for their bytes.
@Suite(.timeLimited) struct LocalFileTests {
    private func withFile(_ data: Data, _ body: (URL) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
        try data.write(to: url)
        let result: Result<Void, any Error>
        do { result = .success(try await body(url)) } catch { result = .failure(error) }
        try? FileManager.default.removeItem(at: url)
        try result.get()
    }

    private func fixture(_ change: (inout PipelineConfiguration) -> Void = { _ in }) -> PipelineFixture {
        PipelineFixture {
            $0.loaders = [FileLoader()]
            change(&$0)
        }
    }

    /// Files are read at once up to 1 MB, and larger ones in pieces of 256 KB.
    @Test(arguments: [0, 1, 256 << 10, 1 << 20, 1 << 20 | 1, 3 << 20])
    func theBytesAndTheProgressAreThoseOfTheFile(_ padding: Int) async throws {
        let data = PipelineFixture.png + Data((0..<padding).lazy.map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try await withFile(data) { url in
            let task = fixture().pipeline.start(ImageRequest(url: url))
            let response = try await task.response
            #expect(response.data == data && response.origin == .file)
            #expect(task.progress == LoadProgress(received: data.count, expected: data.count))
        }
    }

    @Test func observersSeeTheStages() async throws {
        final class Recorder: PipelineObserver {
            let events = Shared<[String]>([])

            func observe(_ event: PipelineEvent) {
                switch event {
                case .stageBegan(let run): events.withLock { $0.append("\(run.stage.rawValue) began") }
                case .responseBegan(_, let expected): events.withLock { $0.append("expected \(expected ?? -1)") }
                case .stageEnded(let run, let outcome):
                    events.withLock { $0.append("\(run.stage.rawValue) ended \(outcome.byteCount ?? -1)") }
                default: break
                }
            }
        }
        let recorder = Recorder()
        try await withFile(PipelineFixture.png) { url in
            _ = try await fixture { $0.observers = [recorder] }.pipeline.image(for: url)
        }
        #expect(
            Array(recorder.events.now.prefix(5)) == [
                "load began", "expected 108", "load ended 108", "decode began", "decode ended -1",
            ])
    }

    @Test func aFileThatIsNoImageIsRemembered() async throws {
        try await withFile(PipelineFixture.png) { url in
            let fixture = fixture { $0.coders = ImageCoderRegistry() }
            await expectError(.noCoder) { try await fixture.pipeline.image(for: url) }
            await expectError(.failedBefore) { try await fixture.pipeline.image(for: url) }
        }
    }

    @Test func anEmptyFileIsAnError() async throws {
        try await withFile(Data()) { url in
            await expectError(.emptyBody) { try await fixture().pipeline.image(for: url) }
        }
    }

    @Test func aFileBeyondTheLimitIsRefused() async throws {
        for padding in [0, 2 << 20] {
            try await withFile(PipelineFixture.png + Data(count: padding)) { url in
                let fixture = fixture { $0.maximumByteCount = 50 }
                await expectError(.limitExceeded) { try await fixture.pipeline.image(for: url) }
            }
        }
    }

    @Test func aMissingFileIsAnError() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
        await expectError(.notFound) { try await fixture().pipeline.image(for: url) }
        await expectError(.notCached) {
            try await fixture().pipeline.image(for: ImageRequest(url: url).freshness(.cacheOnly))
        }
    }

    @Test func aPausedPipelineReadsNoFile() async throws {
        try await withFile(PipelineFixture.png) { url in
            let fixture = fixture()
            fixture.pipeline.isPaused = true
            let task = fixture.pipeline.start(ImageRequest(url: url))
            #expect(task.progress.received == 0 && fixture.decoder.decodeCount == 0)
            fixture.pipeline.isPaused = false
            let response = try await task.response
            #expect(response.origin == .file)
        }
    }

    /// A loader of the program comes before the one that reads files.
    @Test func aLoaderOfTheProgramMayLoadFiles() async throws {
        try await withFile(Data("not an image".utf8)) { url in
            let fixture = fixture { $0.fileIdentity = .path }
            let loader = FakeLoader()
            loader.setAnswer(.data(PipelineFixture.png), for: ImageSource.url(url).identity)
            let request = ImageRequest(url: url).with { $0.overrides = RequestOverrides(loader: loader) }
            let response = try await fixture.pipeline.response(for: request)
            #expect(response.data == PipelineFixture.png)
        }
    }

    @Test func aFileThatHasGrownIsNotReadAtOnceAndOneThatHasShrunkIs() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let path = url.path(percentEncoded: false)
        defer { unlink(path) }
        try Data([1, 2, 3]).write(to: url)
        let file = try LocalFile(reading: path)
        #expect(try file.readUnchanged() == Data([1, 2, 3]))
        truncate(path, 0)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data([4, 5]))
        // A file that has shrunk ends earlier.
        #expect(try file.readUnchanged() == Data([4, 5]))
        let short = try LocalFile(reading: path)
        #expect(try short.readUnchanged() == Data([4, 5]))
        try handle.write(contentsOf: Data([6]))
        #expect(try short.readUnchanged() == nil)
        var whole = Data()
        try short.readAll { whole.append(contentsOf: $0) }
        #expect(whole == Data([4, 5, 6]))
    }
}
