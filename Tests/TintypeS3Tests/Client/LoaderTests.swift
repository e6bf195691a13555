import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@testable import TintypeS3

/// The loader and an origin that plays a store.
@Suite(.timeLimited) struct LoaderTests {
    private static let body = Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func withLoader<Value>(
        _ buckets: S3Buckets? = nil, change: (inout S3Configuration) -> Void = { _ in },
        _ body: (Origin, S3Loader) async throws -> Value
    ) async throws -> Value {
        let origin = try await Origin.start()
        var configuration = S3Configuration(
            bucket: "photos", endpoint: origin.baseURL,
            credentials: S3Credentials(accessKeyID: "k", secretAccessKey: "s"))
        configuration.sourceLimits = S3Limits(
            connecting: .seconds(600), firstByte: .seconds(600), idle: .seconds(600), attempt: .seconds(600),
            total: .seconds(600), maximumRetries: 1, retriesTimeouts: false)
        change(&configuration)
        let loader = S3Loader(try S3Client(configuration), buckets: buckets)
        let result: Result<Value, any Error>
        do { result = .success(try await body(origin, loader)) } catch { result = .failure(error) }
        await origin.stop()
        return try result.get()
    }

    private func source(_ text: String) throws -> ImageSource { .url(try #require(URL(string: text))) }

    private func load(
        _ text: String, _ loader: S3Loader, limit: Int = 64 << 20, stored: CacheEntry? = nil
    ) async throws -> LoadedBytes {
        let context = LoadContext(
            received: ReceivedBytes(limit: limit), job: JobContext(priority: .normal), stored: stored)
        return try await loader.load(try source(text), context: context)
    }

    private func failure(_ body: () async throws -> LoadedBytes) async -> TintypeError? {
        do {
            _ = try await body()
            Issue.record("expected an error")
            return nil
        } catch {
            return error as? TintypeError
        }
    }

    @Test func anObjectIsLoadedWithItsMetricsAndItsHeaderFields() async throws {
        try await withLoader { origin, loader in
            origin.serve(
                "/photos/a b.png",
                response: .image(Self.body, type: "image/png").with(header: "ETag", value: "\"1\""))
            let loaded = try await load("s3://photos/a%20b.png", loader)
            #expect(loaded.data == Self.body && loaded.origin == .network && loaded.isStorable)
            #expect(loaded.metrics?.status == 200 && loaded.metrics?.wireBytes == Self.body.count)
            #expect(loaded.http?.headers["content-type"] == "image/png" && loaded.http?.status == 200)
            #expect(origin.requests.first?.target == "/photos/a%20b.png")
        }
    }

    @Test func aStoredObjectIsRevalidated() async throws {
        try await withLoader { origin, loader in
            origin.serve("/photos/a") { request in
                let fields = [(name: "ETag", value: "\"1\""), (name: "Cache-Control", value: "max-age=60")]
                return request[header: "if-none-match"] == "\"1\""
                    ? OriginResponse(status: 304, headers: fields)
                    : OriginResponse(headers: fields, body: Self.body)
            }
            let first = try await load("s3://photos/a", loader)
            let entry = CacheEntry(data: first.data, format: nil, metadata: first.metadata)
            let second = try await load("s3://photos/a", loader, stored: entry)
            #expect(second.isNotModified && second.data == Self.body && second.metrics?.status == 304)
            let source = try source("s3://photos/a")
            let now = Date()
            #expect(loader.verdict(on: entry, for: source, extras: RequestExtras(), at: now) == .fresh)
            #expect(
                loader.verdict(on: entry, for: source, extras: RequestExtras(), at: now + 3600)
                    == .usableWhenUnreachable)
        }
    }

    @Test func aChangedObjectReplacesTheStoredOne() async throws {
        try await withLoader { origin, loader in
            origin.serve(
                "/photos/a",
                sequence: [
                    OriginResponse(headers: [("ETag", "\"1\"")], body: Data("old".utf8)),
                    OriginResponse(headers: [("ETag", "\"2\"")], body: Data("new".utf8)),
                ])
            let first = try await load("s3://photos/a", loader)
            let entry = CacheEntry(data: first.data, format: nil, metadata: first.metadata)
            let second = try await load("s3://photos/a", loader, stored: entry)
            #expect(!second.isNotModified && second.data == Data("new".utf8))
            #expect(origin.requests.map { $0[header: "if-none-match"] } == [nil, "\"1\""])
        }
    }

    @Test func anEntryWithoutMetadataIsLoadedAnew() async throws {
        try await withLoader { origin, loader in
            origin.serve("/photos/a", response: OriginResponse(body: Self.body))
            let entry = CacheEntry(data: Data("old".utf8), format: nil)
            let loaded = try await load("s3://photos/a", loader, stored: entry)
            #expect(loaded.data == Self.body)
            #expect(origin.requests.first?[header: "if-none-match"] == nil)
        }
    }

    @Test func aVersionIsRequestedAndStaysFresh() async throws {
        try await withLoader { origin, loader in
            origin.serve(
                "/photos/a",
                response: OriginResponse(
                    headers: [("x-amz-version-id", "v+1"), ("Cache-Control", "max-age=1")], body: Self.body))
            let loaded = try await load("s3://photos/a?v%2B1", loader)
            #expect(origin.requests.first?.query == "versionId=v%2B1")
            let entry = CacheEntry(data: loaded.data, format: nil, metadata: loaded.metadata)
            let later = Date() + 1e6
            let verdict = { (text: String) in
                loader.verdict(on: entry, for: try source(text), extras: RequestExtras(), at: later)
            }
            #expect(try verdict("s3://photos/a?v%2B1") == .fresh)
            #expect(try verdict("s3://photos/a?v2") != .fresh)
            #expect(try verdict("s3://photos/a") != .fresh)
        }
    }

    @Test func aStoreThatIgnoresTheVersionIsRefused() async throws {
        try await withLoader { origin, loader in
            origin.serve("/photos/a", response: OriginResponse(body: Self.body))
            #expect(await failure { try await load("s3://photos/a?v1", loader) }?.code == .refusedResponse)
            let loaded = try await load("s3://photos/a?null", loader)
            #expect(loaded.data == Self.body)
        }
    }

    @Test(arguments: ["s3://other/a", "s3://Photos/a", "s3://photos.x/a"])
    func anotherBucketIsForbidden(text: String) async throws {
        try await withLoader { origin, loader in
            let error = await failure { try await load(text, loader) }
            #expect(error?.code == .forbidden && error?.subject == text && origin.requestCount() == 0)
        }
    }

    @Test func listsOfBucketsDecide() async throws {
        try await withLoader(.all(except: ["private"])) { origin, loader in
            origin.serve("/other/a", response: OriginResponse(body: Self.body))
            let loaded = try await load("s3://other/a", loader)
            #expect(loaded.data == Self.body)
            #expect(await failure { try await load("s3://private/a", loader) }?.code == .forbidden)
        }
    }

    @Test(arguments: ["s3://photos/../other/a", "s3://photos/%2E%2E/other/a", "s3://photos/a%2F..%2Fb", "s3://photos"])
    func aPathThatLeavesTheBucketIsRefused(text: String) async throws {
        try await withLoader { origin, loader in
            let error = await failure { try await load(text, loader) }
            #expect(error?.code == .invalidSource && origin.requestCount() == 0)
        }
    }

    @Test func aMissingObjectIsTheStatus404() async throws {
        try await withLoader { origin, loader in
            origin.serve(
                "/photos/a",
                response: OriginResponse(status: 404, body: Data("<Error><Code>NoSuchKey</Code></Error>".utf8)))
            let error = await failure { try await load("s3://photos/a", loader) }
            #expect(error?.code == .badStatus && error?.status == 404 && error?.s3?.code == "NoSuchKey")
        }
    }

    @Test func aBodyThatBreaksOffIsReceivedFromItsBeginning() async throws {
        try await withLoader { origin, loader in
            origin.serve(
                "/photos/a",
                sequence: [
                    OriginResponse(body: Self.body, ending: .reset(after: 20_000)), OriginResponse(body: Self.body),
                ])
            let loaded = try await load("s3://photos/a", loader)
            #expect(loaded.data == Self.body)
        }
    }

    @Test func anObjectThatIsTooLargeIsRefused() async throws {
        try await withLoader { origin, loader in
            origin.serve("/photos/a", response: OriginResponse(body: Self.body, framing: .chunked(size: 500)))
            let error = await failure { try await load("s3://photos/a", loader, limit: 10_000) }
            #expect(error?.code == .limitExceeded && origin.requestCount() == 1)
        }
    }

    @Test func aContentCodingIsRemoved() async throws {
        // `printf hello | gzip -n`
        let bytes: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86,
            0xA6,
            0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
        ]
        try await withLoader { origin, loader in
            origin.serve(
                "/photos/a", response: OriginResponse(headers: [("Content-Encoding", "gzip")], body: Data(bytes)))
            let loaded = try await load("s3://photos/a", loader)
            #expect(loaded.data == Data("hello".utf8))
        }
    }

    @Test func aLargeObjectMovesToAFile() async throws {
        let large = Data(repeating: 5, count: 12 << 20)
        try await withLoader { origin, loader in
            origin.serve("/photos/a", response: OriginResponse(body: large))
            let loaded = try await load("s3://photos/a", loader)
            #expect(loaded.data == large && loaded.file != nil)
        }
    }

    @Test func aLimitedNumberOfObjectsIsReceivedAtOnce() async throws {
        try await withLoader(change: { $0.maximumConcurrentLoads = 2 }) { origin, loader in
            let gate = OriginGate()
            origin.serve("/photos/a", response: OriginResponse(body: Self.body, gate: gate))
            async let first = load("s3://photos/a", loader)
            async let second = load("s3://photos/a", loader)
            await origin.waitForRequests(2)
            // Cancelling a load that waits takes no slot.
            let third = Task { try await load("s3://photos/a", loader) }
            third.cancel()
            _ = await third.result
            async let fourth = load("s3://photos/a", loader)
            gate.open()
            let loaded = try await [first, second, fourth]
            #expect(loaded.allSatisfy { $0.data == Self.body } && origin.requestCount() == 3)
        }
    }

    @Test func onlyS3URLsAreAccepted() async throws {
        try await withLoader { _, loader in
            let sources = try ["s3://photos/a", "S3://photos/a", "http://photos/a"].map { try source($0) }
            #expect(sources.map { loader.canLoad($0) } == [true, true, false])
            #expect(!loader.canLoad(.bytes(Data(), id: "s3://photos/a")))
        }
    }
}
