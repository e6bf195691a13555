import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeShared
import TintypeTesting

@testable import TintypeS3

/// The store of values behind a shared cache, and the loader, with the errors of AWS that moto plays.
@Suite(.timeLimited, .enabled(if: MotoServer.isInstalled)) struct MotoStoreTests {
    private func cache(_ client: S3Client) -> SharedCache {
        var configuration = SharedCacheConfiguration()
        (configuration.readLimit, configuration.writeLimit) = (.seconds(60), .seconds(60))
        configuration.readWait = .seconds(60)...Duration.seconds(60)
        configuration.flushLimit = .seconds(60)
        return SharedCache(S3Store(client), configuration: configuration)
    }

    private func key(_ test: String = #function) -> CacheKey { CacheKey(source: "https://example.org/\(test)") }

    private let entry = CacheEntry(data: Data("payload".utf8), format: .png, metadata: Data("etag".utf8))

    // MARK: Shared cache

    @Test func aMissIsNoFailure() async throws {
        let server = try await MotoServer.shared
        let (cache, key) = (cache(try server.client()), key())
        #expect(await cache.entry(for: key) == nil)
        cache.remove(key)
        await cache.flush()
        #expect(cache.stats.misses == 1 && cache.stats.failures == 0 && cache.stats.writeFailures == 0)
        cache.store(entry, for: key)
        await cache.flush()
        #expect(await cache.entry(for: key)?.data == entry.data)
        #expect(cache.stats.hits == 1 && cache.stats.breaker == .closed)
    }

    @Test(arguments: ["bucket", "secret", "permission"]) func aStoreThatRefusesIsNoHitAndNoError(wrong: String)
        async throws
    {
        let server = try await MotoServer.shared
        let client = try server.client(
            bucket: wrong == "bucket" ? "absent" : MotoServer.bucket, as: wrong == "permission" ? .reader : .writer
        ) {
            guard wrong == "secret", let id = $0.credentials?.accessKeyID else { return }
            $0.credentials = S3Credentials(accessKeyID: id, secretAccessKey: "wrong")
        }
        let (cache, key) = (cache(client), key("\(#function)/\(wrong)"))
        #expect(await cache.entry(for: key) == nil)
        cache.store(entry, for: key)
        await cache.flush()
        #expect(await cache.entry(for: key) == nil)
        #expect(cache.stats.hits == 0 && cache.stats.writes == 0 && cache.stats.writeFailures == 1)
        // Keys without the right to write still read.
        #expect(cache.stats.failures == (wrong == "permission" ? 0 : 2))
    }

    @Test func anArchivedValueIsAMiss() async throws {
        let server = try await MotoServer.shared
        let client = try server.client()
        #expect(try await S3Store(client).value(for: "archived") == nil)
        let error = await expectError(.badStatus) {
            try await client.get(S3Object(bucket: MotoServer.bucket, key: "archived"))
        }
        #expect(error?.s3?.code == "InvalidObjectState" && error?.message.contains("restore it") == true)
    }

    // MARK: Loader

    private func load(_ object: S3Object, _ client: S3Client, stored: CacheEntry? = nil) async throws -> LoadedBytes {
        let version = object.version.map { "?\(PercentEncoding.encode($0))" } ?? ""
        let text = "s3://\(object.bucket)/\(PercentEncoding.encodePath(object.key))\(version)"
        let context = LoadContext(
            received: ReceivedBytes(limit: 1 << 20), job: JobContext(priority: .normal), stored: stored)
        let loader = S3Loader(client, buckets: .all(except: ["secrets"]))
        return try await loader.load(.url(try #require(URL(string: text))), context: context)
    }

    @Test(
        arguments: [
            ("photos", "absent", nil, 404, "NoSuchKey"), ("absent", "a", nil, 404, "NoSuchBucket"),
            ("versions", "absent", "nonsense", 404, "NoSuchVersion"),
            ("photos", "archived", nil, 403, "InvalidObjectState"),
        ] as [(String, String, String?, Int, String)])
    func whatCannotBeLoadedIsToldWithItsCode(
        bucket: String, key: String, version: String?, status: Int, code: String
    ) async throws {
        let client = try await MotoServer.shared.client()
        let object = S3Object(bucket: bucket, key: key, version: version)
        let error = await expectError(.badStatus) { try await load(object, client) }
        #expect(error?.status == status && error?.s3?.code == code && error?.stage == .load)
        #expect(error?.subject?.hasPrefix("s3://\(bucket)/\(key)") == true)
        await expectError(.forbidden) { try await load(S3Object(bucket: "secrets", key: key), client) }
    }

    @Test func aStoredObjectThatWasDeletedIsAnError() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(), server.object("a b.png"))
        try await client.put(Data("old".utf8), as: object, S3PutOptions(contentType: "image/png"))
        let first = try await load(object, client)
        #expect(first.data == Data("old".utf8) && first.http?.headers["content-type"] == "image/png")
        let entry = CacheEntry(data: first.data, format: nil, metadata: first.metadata)
        let second = try await load(object, client, stored: entry)
        #expect(second.isNotModified && second.data == Data("old".utf8))
        try await client.delete(object)
        let error = await expectError(.badStatus) { try await load(object, client, stored: entry) }
        #expect(error?.status == 404)
    }

    @Test func aVersionIsLoadedAfterItsObjectWasDeleted() async throws {
        let server = try await MotoServer.shared
        let client = try server.client(bucket: MotoServer.versionedBucket)
        var object = server.object(in: MotoServer.versionedBucket)
        try await client.put(Data("old".utf8), as: object)
        let version = try #require(try await client.head(object)?.version)
        try await client.delete(object)
        await expectError(.badStatus) { try await load(object, client) }
        object.version = version
        #expect(try await load(object, client).data == Data("old".utf8))
    }

    @Test func loadsBeyondTheLimitOfBytesAreRefused() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(), server.object())
        try await client.put(Data(count: 2 << 20), as: object)
        await expectError(.limitExceeded) { try await load(object, client) }
    }
}
