import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeShared
import TintypeTesting

@testable import TintypeS3

/// The store of values and the loader, with a real SeaweedFS.
@Suite(.timeLimited, .enabled(if: SeaweedServer.isInstalled)) struct SeaweedStoreTests {
    private func key(_ test: String = #function) -> String { "tt1/r/ab/cd/\(test.prefix { $0 != "(" })" }

    @Test func aValueIsStoredFoundAndRemoved() async throws {
        let store: any SharedStore = S3Store(try await SeaweedServer.shared.client())
        let value = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(store.name == "s3" && store.maximumValueSize == 64 << 20)
        #expect(try await store.value(for: key()) == nil)
        #expect(try await !store.contains(key()))
        try await store.store(value, for: key(), timeToLive: nil)
        #expect(try await store.value(for: key()) == value)
        #expect(try await store.contains(key()))
        try await store.store(Data("new".utf8), for: key(), timeToLive: .seconds(600))
        #expect(try await store.value(for: key()) == Data("new".utf8))
        try await store.remove(key())
        try await store.remove(key())
        #expect(try await store.value(for: key()) == nil)
    }

    @Test func anEmptyValueIsAValue() async throws {
        let store = S3Store(try await SeaweedServer.shared.client())
        try await store.store(Data(), for: key(), timeToLive: nil)
        #expect(try await store.value(for: key()) == Data())
        #expect(try await store.contains(key()))
    }

    @Test func aValueIsGoneAfterItsTimeToLive() async throws {
        let server = try await SeaweedServer.shared
        let store = S3Store(try server.client())
        try await store.store(Data("x".utf8), for: key(), timeToLive: .seconds(100))
        let before = S3Store(try server.client { $0.clock.date = { Date() + 90 } })
        let after = S3Store(try server.client { $0.clock.date = { Date() + 102 } })
        #expect(try await before.value(for: key()) != nil)
        #expect(try await before.contains(key()))
        #expect(try await after.value(for: key()) == nil)
        #expect(try await !after.contains(key()))
    }

    @Test func aStoreThatKeepsValuesStoresThemOnce() async throws {
        let store = S3Store(try await SeaweedServer.shared.client(), keepsExisting: true)
        try await store.store(Data("first".utf8), for: key(), timeToLive: nil)
        try await store.store(Data("second".utf8), for: key(), timeToLive: nil)
        #expect(try await store.value(for: key()) == Data("first".utf8))
    }

    @Test func theKeysBeginWithThePrefix() async throws {
        let server = try await SeaweedServer.shared
        let client = try server.client { $0.prefix = "cache/" }
        try await S3Store(client).store(Data("x".utf8), for: key(), timeToLive: nil)
        #expect(try await server.client().head(S3Object(bucket: SeaweedServer.bucket, key: "cache/\(key())")) != nil)
        #expect(try await S3Store(server.client()).value(for: key()) == nil)
    }

    @Test func aValueThatIsTooLargeIsRefused() async throws {
        let server = try await SeaweedServer.shared
        let store = S3Store(try server.client { $0.maximumValueSize = 100 })
        await expectError(.limitExceeded) {
            try await store.store(Data(count: 101), for: key(), timeToLive: nil)
        }
        try await S3Store(server.client()).store(Data(count: 101), for: key(), timeToLive: nil)
        await expectError(.limitExceeded) { try await store.value(for: key()) }
    }

    @Test func aStoredImageIsRevalidatedWithTheStore() async throws {
        let server = try await SeaweedServer.shared
        let client = try server.client()
        let object = server.object("a b.png")
        try await client.put(
            Data("old".utf8), as: object, S3PutOptions(contentType: "image/png", cacheControl: "max-age=60"))
        let loader = S3Loader(client)
        let source = ImageSource.url(
            try #require(URL(string: "s3://\(object.bucket)/\(PercentEncoding.encodePath(object.key))")))
        func load(_ stored: CacheEntry?) async throws -> LoadedBytes {
            let context = LoadContext(
                received: ReceivedBytes(limit: 1 << 20), job: JobContext(priority: .normal), stored: stored)
            return try await loader.load(source, context: context)
        }
        let first = try await load(nil)
        let entry = CacheEntry(data: first.data, format: nil, metadata: first.metadata)
        #expect(first.http?.headers["content-type"] == "image/png" && first.data == Data("old".utf8))
        #expect(loader.verdict(on: entry, for: source, extras: RequestExtras(), at: Date()) == .fresh)
        let second = try await load(entry)
        #expect(second.isNotModified && second.data == Data("old".utf8))
        // What a 304 response does not repeat stays.
        let renewed = CacheEntry(data: second.data, format: nil, metadata: second.metadata)
        #expect(renewed.storedField("cache-control") == "max-age=60")
        try await client.put(Data("new".utf8), as: object)
        let third = try await load(renewed)
        #expect(!third.isNotModified && third.data == Data("new".utf8))
    }
}
