import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct FailureTableTests {
    private let error = TintypeError(.notAnImage, stage: .decode, "test")

    private func key(_ name: String) -> FailureKey {
        FailureKey(ImageRequest(source: .closure(id: name) { Data() }).with { $0.identity = name })
    }

    @Test func aFailureIsRememberedUntilItExpires() {
        var table = FailureTable(capacity: 10)
        table.remember(error, of: key("a"), until: .seconds(160))
        let early = table.failure(of: key("a"), at: .seconds(159))
        let late = table.failure(of: key("a"), at: .seconds(160))
        #expect(early != nil && late == nil)
        // The late call has removed it.
        #expect(table.all(at: .seconds(159)).isEmpty)
        table.remember(error, of: key("a"), until: .seconds(160))
        #expect(table.all(at: .seconds(159)).count == 1 && table.all(at: .seconds(160)).isEmpty)
    }

    @Test func theOldestIsForgottenFirst() {
        var table = FailureTable(capacity: 3)
        for name in ["a", "b", "c", "a", "d"] { table.remember(error, of: key(name), until: .seconds(60)) }
        #expect(Set(table.all(at: .zero).keys) == ["c", "a", "d"])
    }

    @Test(arguments: [(-1, 0), (0, 0), (1, 1)]) func asManyAreRememberedAsTheCapacity(_ capacity: Int, _ count: Int) {
        var table = FailureTable(capacity: capacity)
        for name in ["a", "b"] { table.remember(error, of: key(name), until: .seconds(60)) }
        #expect(table.all(at: .zero).count == count)
    }

    /// A source that fails again and again leaves an entry each time.
    @Test func theOrderIsBounded() {
        var table = FailureTable(capacity: 3)
        func orderCount() -> Int? {
            Mirror(reflecting: table).children.first { $0.label == "order" }.map {
                Mirror(reflecting: $0.value).children.count
            }
        }
        for count in 1...10 {
            table.remember(error, of: key("a"), until: .seconds(60))
            #expect(orderCount() == min(count, 6))
        }
        table.forgetAll()
        #expect(orderCount() == 0 && table.all(at: .zero).isEmpty)
    }

    @Test func theCapacityIsNeverExceeded() {
        var random = SeededRandom.printed("failures")
        var table = FailureTable(capacity: 5)
        for _ in 0..<5000 {
            let name = "\(Int.random(in: 0..<20, using: &random))"
            if Bool.random(using: &random) {
                table.remember(error, of: key(name), until: .seconds(60))
            } else {
                table.forget(key(name))
            }
            #expect(table.all(at: .zero).count <= 5)
        }
    }
}

@Suite(.timeLimited) struct FailureMemoryTests {
    @Test func aSourceIsForgottenUnderItsInterceptedIdentity() async throws {
        let fixture = PipelineFixture { $0.interceptors = [CacheKeyFilter { $0.lastPathComponent }] }
        let url = try #require(URL(string: "https://example.com/a.png?token=1"))
        fixture.loader.setAnswer(.data(Data("<html>".utf8)), for: url.absoluteString)
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: url) }
        #expect(Array(fixture.pipeline.failureMemory.all.keys) == ["a.png"])
        fixture.pipeline.failureMemory.forget(ImageRequest(url: url))
        #expect(fixture.pipeline.failureMemory.all.isEmpty)
    }

    @Test func aFailureWithOverridesOrExtrasDoesNotAffectOtherRequests() async throws {
        struct Setting: RequestExtraKey { static let defaultValue = 0 }
        let broken = FakeLoader()
        broken.setAnswer(.data(Data("<html>".utf8)), for: "closure:a")
        let fixture = PipelineFixture()
        fixture.answer()
        let overriding = fixture.request().with { $0.overrides = RequestOverrides(loader: broken) }
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: overriding) }
        await expectError(.failedBefore) { try await fixture.pipeline.image(for: overriding) }
        let other = PipelineFixture()
        other.answer("a", .data(Data("<html>".utf8)))
        await expectError(.notAnImage) {
            try await other.pipeline.image(for: other.request().with { $0.extras[Setting.self] = 1 })
        }
        other.answer()
        _ = try await other.pipeline.image(for: other.request())
        _ = try await fixture.pipeline.image(for: fixture.request())
    }

    @Test func aFailureOfARequestsDecoderRemovesNoEntryAndIsNotRemembered() async throws {
        struct Picky: ImageDecoder {
            let formats: Set<ImageFormat> = [.png]
            func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { nil }
            func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
                throw TintypeError(.undecodable, stage: .decode, "too picky")
            }
        }
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        let picky = fixture.request().with { $0.rendition.decode.decoder = NamedDecoder(id: "picky", decoder: Picky()) }
        await expectError(.undecodable) { try await fixture.pipeline.image(for: picky) }
        #expect(fixture.disk.contains(fixture.request().key) && fixture.pipeline.failureMemory.all.isEmpty)
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    /// A list that scrolls asks for the same missing avatar again and again.
    @Test func aMissingImageIsRememberedForItsOwnTime() async {
        let fixture = PipelineFixture { $0.failureMemory.missingTimeToLive = .seconds(30) }
        for (name, status) in [("gone", 410), ("missing", 404), ("broken", 500)] {
            fixture.answer(name, .failure(TintypeError(.badStatus, stage: .load, "HTTP", status: status)))
            await expectError(.badStatus) { try await fixture.pipeline.image(for: fixture.request(name)) }
            let code: TintypeError.Code = status == 500 ? .badStatus : .failedBefore
            let error = await expectError(code) { try await fixture.pipeline.image(for: fixture.request(name)) }
            #expect(status == 500 || (error?.underlying as? TintypeError)?.status == status)
        }
        fixture.clock.advance(by: .seconds(31))
        await expectError(.badStatus) { try await fixture.pipeline.image(for: fixture.request("gone")) }
        #expect(fixture.loader.count(fixture.identity("gone")) == 2)
        // A failure of another kind is not remembered as a missing image.
        fixture.answer("refused", .failure(TintypeError(.refusedResponse, stage: .load, "HTTP", status: 404)))
        for _ in 0..<2 {
            await expectError(.refusedResponse) { try await fixture.pipeline.image(for: fixture.request("refused")) }
        }
        // By default a status is not remembered.
        let other = PipelineFixture()
        other.answer("missing", .failure(TintypeError(.badStatus, stage: .load, "HTTP", status: 404)))
        for _ in 0..<2 {
            await expectError(.badStatus) { try await other.pipeline.image(for: other.request("missing")) }
        }
    }

    @Test func longIdentitiesAreNotRemembered() async {
        let fixture = PipelineFixture()
        let name = String(repeating: "x", count: 5000)
        fixture.answer(name, .data(Data("<html>".utf8)))
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request(name)) }
        #expect(fixture.pipeline.failureMemory.all.isEmpty)
    }

    @Test func aSourceThatIsNotAnImageIsNotRequestedAgain() async {
        let fixture = PipelineFixture()
        fixture.answer("a", .data(Data("<html>".utf8)))
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request()) }
        let error = await expectError(.failedBefore) { try await fixture.pipeline.image(for: fixture.request()) }
        #expect((error?.underlying as? TintypeError)?.code == .notAnImage)
        #expect(fixture.loader.count(fixture.identity()) == 1)
        #expect(Array(fixture.pipeline.failureMemory.all.keys) == [fixture.identity()])
    }

    @Test func aTransientFailureIsNotRemembered() async {
        let fixture = PipelineFixture()
        for code in [TintypeError.Code.badStatus, .unreachable, .timedOut, .truncatedBody, .transport] {
            fixture.answer("a", .failure(TintypeError(code, stage: .load, "test")))
            await expectError(code) { try await fixture.pipeline.image(for: fixture.request()) }
        }
        #expect(fixture.pipeline.failureMemory.all.isEmpty)
    }

    @Test func aFailureIsForgottenOnExpiryOnRequestAndOnSuccess() async throws {
        let clock = ManualClock()
        let fixture = PipelineFixture { $0.time = clock.timeSource }
        func fail() async {
            fixture.answer("a", .data(Data("<html>".utf8)))
            await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request()) }
        }
        await fail()
        clock.advance(by: .seconds(600))
        await fail()
        fixture.pipeline.failureMemory.forget(fixture.request())
        await fail()
        fixture.pipeline.failureMemory.forgetAll()
        await fail()
        fixture.answer()
        var request = fixture.request()
        request.policy.failureMemory = .ignored
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.pipeline.failureMemory.all.isEmpty)
    }

    @Test func aDamagedCacheEntryIsNotAFailureOfTheSource() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        fixture.disk.store(CacheEntry(data: Data("<html>".utf8), format: .png), for: fixture.request().key)
        var request = fixture.request()
        request.policy.freshness = .cacheOnly
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: request) }
        #expect(try await fixture.pipeline.response(for: fixture.request()).origin == .network)
    }

    @Test func aCachedImageIsReturnedDespiteARememberedFailure() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .data(Data("<html>".utf8)))
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request()) }
        fixture.disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: fixture.request().key)
        #expect(try await fixture.pipeline.response(for: fixture.request()).origin == .disk)
    }
}
