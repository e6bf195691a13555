import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The identity of local files in caches.
@Suite(.timeLimited) struct FileIdentityTests {
    /// Runs a test with a file of its own.
    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "tintype file \(UUID().uuidString).png")
        try write(PipelineFixture.png, to: url, modified: 1000)
        let result: Result<Void, any Error>
        do { result = .success(try await body(url)) } catch { result = .failure(error) }
        try? FileManager.default.removeItem(at: url)
        try result.get()
    }

    /// Writes a file, and sets its time of modification to some nanoseconds after 1970.
    private func write(_ data: Data, to url: URL, modified nanoseconds: Int) throws {
        try data.write(to: url)
        let time = timespec(tv_sec: 1, tv_nsec: nanoseconds)
        #expect(utimensat(AT_FDCWD, url.path(percentEncoded: false), [time, time], 0) == 0)
    }

    private func pipeline(_ change: (inout PipelineConfiguration) -> Void = { _ in }) -> PipelineFixture {
        PipelineFixture {
            $0.loaders = [FileLoader()]
            change(&$0)
        }
    }

    @Test(arguments: [FileIdentity.modification, .path])
    func aFileThatChangedIsLoadedAgain(_ identity: FileIdentity) async throws {
        try await withFile { url in
            let fixture = pipeline { $0.fileIdentity = identity }
            let first = try await fixture.pipeline.image(for: url)
            #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url)) === first)
            // One nanosecond later, with the same size.
            try write(PipelineFixture.png, to: url, modified: 1001)
            let isCached = fixture.pipeline.cachedImage(for: ImageRequest(url: url)) != nil
            #expect(isCached == (identity == .path))
            _ = try await fixture.pipeline.image(for: url)
            #expect(fixture.decoder.decodeCount == (identity == .path ? 1 : 2))
        }
    }

    @Test func theKeyOfAFileContainsItsTimeOfModificationAndItsSize() async throws {
        try await withFile { url in
            let pipeline = pipeline().pipeline
            let key = pipeline.cacheKey(for: ImageRequest(url: url))
            #expect(key.source == "\(url.absoluteString)\nmodified 1.1000 size \(PipelineFixture.png.count)")
            try write(PipelineFixture.png + [0], to: url, modified: 1000)
            #expect(pipeline.cacheKey(for: ImageRequest(url: url)) != key)
            #expect(pipeline.cacheKey(for: ImageRequest(url: url).fitting(width: 1)).rendition == "fit(1x0)")
        }
    }

    @Test func namedFilesMissingFilesAndDirectoriesKeepTheirKeys() async throws {
        try await withFile { url in
            let pipeline = pipeline().pipeline
            let named = ImageRequest(url: url).with { $0.identity = "mine" }
            #expect(pipeline.cacheKey(for: named) == CacheKey(source: "mine"))
            for url in [url.appendingPathExtension("no"), url.deletingLastPathComponent()] {
                #expect(pipeline.cacheKey(for: ImageRequest(url: url)).source == url.absoluteString)
            }
        }
    }

    @Test(arguments: [LoadPolicy.LocalFileStorage.disk, .memory])
    func thumbnailsOfLocalFilesAreStoredOnDiskOnRequest(_ storage: LoadPolicy.LocalFileStorage) async throws {
        try await withFile { url in
            let info = ImageInfo(format: .png, size: PixelSize(width: 8, height: 8))
            let fixture = PipelineFixture(info: info) { $0.loaders = [FileLoader()] }
            let request = ImageRequest(url: url).fitting(width: 2).with {
                $0.policy.caching.localFiles = storage
                $0.policy.delivery.completion = .whenStored
            }
            _ = try await fixture.pipeline.image(for: request)
            let key = fixture.pipeline.cacheKey(for: request)
            // The file itself is never stored.
            #expect(fixture.disk.keys == (storage == .disk ? [key] : []))
            fixture.memory.clear()
            let again = try await fixture.pipeline.response(for: request)
            #expect(again.origin == (storage == .disk ? .disk : .file))
            try write(PipelineFixture.png, to: url, modified: 2000)
            #expect(try await fixture.pipeline.response(for: request).origin == .file)
        }
    }

    @Test func aFileThatCannotTellItsChangesIsNotStoredOnDisk() async throws {
        try await withFile { url in
            let fixture = pipeline { $0.fileIdentity = .path }
            var request = ImageRequest(url: url).transformed(by: CountingTransformer(identifier: "t"))
            request.policy.caching.localFiles = .disk
            _ = try await fixture.pipeline.image(for: request)
            try await fixture.pipeline.flush()
            #expect(fixture.disk.keys.isEmpty)
        }
    }

    /// A name that the program chose does not change with the file.
    @Test(arguments: [true, false]) func aFileWithANameOfTheProgramIsNotStoredOnDisk(_ isFiltered: Bool) async throws {
        try await withFile { url in
            let info = ImageInfo(format: .png, size: PixelSize(width: 8, height: 8))
            let fixture = PipelineFixture(info: info) {
                $0.loaders = [FileLoader()]
                if isFiltered { $0.interceptors = [CacheKeyFilter { _ in "mine" }] }
            }
            let request = ImageRequest(url: url).fitting(width: 2).with {
                if !isFiltered { $0.identity = "mine" }
                $0.policy.caching.localFiles = .disk
                $0.policy.delivery.completion = .whenStored
            }
            _ = try await fixture.pipeline.image(for: request)
            #expect(fixture.pipeline.cacheKey(for: request).source == "mine" && fixture.disk.keys.isEmpty)
            fixture.memory.clear()
            try write(PipelineFixture.png, to: url, modified: 2000)
            #expect(try await fixture.pipeline.response(for: request).origin == .file)
        }
    }

    @Test func aFileThatAGuardRefusesIsNotTouched() async throws {
        struct Refusal: GuardingLoader {
            let guardFlag = GuardFlag(true)
            func canLoad(_ source: ImageSource) -> Bool { false }
            func check(_ request: ImageRequest) throws(TintypeError) {
                throw TintypeError(.forbidden, stage: .load, "test")
            }

            @concurrent
            func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
                throw TintypeError(.forbidden, stage: .load, "test")
            }
        }
        try await withFile { url in
            let pipeline = pipeline { $0.loaders.append(Refusal()) }.pipeline
            #expect(pipeline.cacheKey(for: ImageRequest(url: url)).source == url.absoluteString)
            await expectError(.forbidden) { try await pipeline.image(for: url) }
        }
    }

    @Test(arguments: [("file:///a", true), ("FILE:///a", true), ("ftp://a/b", false), ("http://a/file:", false)])
    func onlyFileURLsAreFiles(_ text: String, _ isFile: Bool) throws {
        let request = ImageRequest(url: try #require(URL(string: text)))
        #expect(request.facts.isForFile == isFile && request.priority(.high).facts.isForFile == isFile)
        #expect(!request.with { $0.identity = "a" }.facts.isForFile)
    }

    @Test func aFailureOfAFileIsForgottenWhenTheFileChanges() async throws {
        try await withFile { url in
            let fixture = pipeline()
            try write(Data("<html>".utf8), to: url, modified: 1)
            await expectError(.notAnImage) { try await fixture.pipeline.image(for: url) }
            await expectError(.failedBefore) { try await fixture.pipeline.image(for: url) }
            try write(PipelineFixture.png, to: url, modified: 2)
            _ = try await fixture.pipeline.image(for: url)
        }
    }
}
