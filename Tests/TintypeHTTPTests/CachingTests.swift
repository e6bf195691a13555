import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// How the downloader serves a cache.
@Suite(.timeLimited) struct CachingTests {
    private func entry(_ loaded: LoadedBytes) -> CacheEntry {
        CacheEntry(data: loaded.data, format: .png, metadata: loaded.metadata)
    }

    private func withImage(
        _ fields: [(name: String, value: String)],
        _ body: (Origin, Downloader, ImageSource, CacheEntry) async throws -> Void
    ) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.headers, to: [("Content-Type", "image/png")] + fields))
            let downloader = Downloader.patient
            let source = ImageSource.url(origin.url("/a"))
            try await body(origin, downloader, source, entry(try await Fixture.load(source, downloader)))
        }
    }

    @Test func a304IsTheStoredImageWithRenewedMetadata() async throws {
        try await withImage([("ETag", "\"1\""), ("Cache-Control", "max-age=0")]) {
            origin, downloader, source, stored in
            let extras = RequestExtras()
            #expect(
                downloader.verdict(on: stored, for: source, extras: extras, at: Date()) == .usableWhenUnreachable)
            origin.serve("/a") { request in
                let isSame = request[header: "if-none-match"] == "\"1\""
                return OriginResponse(
                    status: isSame ? 304 : 500, headers: [("ETag", "\"1\""), ("Cache-Control", "max-age=60")])
            }
            let loaded = try await Fixture.load(source, downloader, stored: stored)
            #expect(loaded.isNotModified && loaded.data == Fixture.body && loaded.metrics?.status == 304)
            let renewed = entry(loaded)
            #expect(downloader.verdict(on: renewed, for: source, extras: extras, at: Date()) == .fresh)
        }
    }

    @Test func a200ReplacesTheStoredImage() async throws {
        try await withImage([("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT")]) {
            origin, downloader, source, stored in
            let newer = Data("newer".utf8)
            origin.serve("/a", response: .image(newer, type: "image/png"))
            let loaded = try await Fixture.load(source, downloader, stored: stored)
            #expect(!loaded.isNotModified && loaded.data == newer)
            #expect(origin.requests.last?[header: "if-modified-since"] == "Tue, 14 Nov 2023 22:13:20 GMT")
        }
    }

    /// RFC 9111, 4.3.1: the validator of a response to other header fields is that of another image.
    @Test func aResponseToOtherFieldsIsNotRevalidated() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve(
                "/a", response: .testImage.with(header: "ETag", value: "\"1\"").with(header: "Vary", value: "X-Tenant"))
            let downloader = Downloader.patient
            let first = ImageSource.http(HTTPSource(url: origin.url("/a"), headers: ["X-Tenant": "a"]))
            let stored = entry(try await Fixture.load(first, downloader))
            let other = ImageSource.http(HTTPSource(url: origin.url("/a"), headers: ["X-Tenant": "b"]))
            let loaded = try await Fixture.load(other, downloader, stored: stored)
            #expect(!loaded.isNotModified && origin.requests.last?[header: "if-none-match"] == nil)
        }
    }

    @Test func a304ToAnUnconditionalRequestIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .status(304))
            await Fixture.expect(.badStatus) { try await load("/a") }
        }
    }

    @Test func noStoreIsReportedToTheCache() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .testImage.with(header: "Cache-Control", value: "no-store"))
            origin.serve("/b", response: .testImage)
            let isStorable = try await load("/a").isStorable
            #expect(!isStorable)
            let isOtherStorable = try await load("/b").isStorable
            #expect(isOtherStorable)
        }
    }

    @Test func anEntryWithoutMetadataIsStale() throws {
        let url = try #require(URL(string: "http://example.org/a"))
        let entry = CacheEntry(data: Fixture.body, format: .png)
        let verdict = Downloader.patient.verdict(on: entry, for: .url(url), extras: RequestExtras(), at: Date())
        #expect(verdict == .stale(usableOnError: true))
    }

    /// Only a load can run the interceptors, whose header fields decide.
    @Test func nothingIsFreshBesideInterceptorsThatDidNotRun() async throws {
        try await withImage([("Cache-Control", "max-age=3600")]) { _, downloader, source, stored in
            var request = ImageRequest(source: source)
            let verdict = { downloader.verdict(on: stored, for: source, extras: request.extras, at: Date()) }
            #expect(verdict() == .fresh)
            request.http.interceptors = [DownloadModifier.headers([:])]
            #expect(verdict() == .stale(usableOnError: false))
        }
    }

    @Test func aConditionalRequestSharesNoTransferWithAnUnconditionalOne() async throws {
        try await withImage([("ETag", "\"1\"")]) { origin, downloader, source, stored in
            let gate = OriginGate()
            origin.serve("/a") { request in
                request[header: "if-none-match"] == nil
                    ? .testImage.setting(\.gate, to: gate) : OriginResponse(status: 304, gate: gate)
            }
            async let plain = Fixture.load(source, downloader)
            async let conditional = Fixture.load(source, downloader, stored: stored)
            await origin.waitForRequests(3)
            gate.open()
            let isPlainNotModified = try await plain.isNotModified
            #expect(!isPlainNotModified)
            let isConditionalNotModified = try await conditional.isNotModified
            #expect(isConditionalNotModified)
        }
    }
}
