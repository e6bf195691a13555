import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct FailureTableTests {
    private let error = TintypeError(.notAnImage, stage: .decode, "test")

    @Test func aFailureIsRememberedUntilItExpires() {
        var table = FailureTable(capacity: 10, lifetime: .seconds(60))
        table.remember(error, of: "a", at: .seconds(100))
        let early = table.failure(of: "a", at: .seconds(159))
        let late = table.failure(of: "a", at: .seconds(160))
        #expect(early != nil && late == nil)
        #expect(table.count == 0)
    }

    @Test func theOldestIsForgottenFirst() {
        var table = FailureTable(capacity: 3, lifetime: .seconds(60))
        for name in ["a", "b", "c", "a", "d"] { table.remember(error, of: name, at: .zero) }
        #expect(Set(table.all(at: .zero).keys) == ["c", "a", "d"])
    }

    @Test func itStaysBoundedWhateverHappens() {
        var random = SeededRandom.printed("failures")
        var table = FailureTable(capacity: 5, lifetime: .seconds(60))
        for _ in 0..<5000 {
            let name = "\(Int.random(in: 0..<20, using: &random))"
            if Bool.random(using: &random) { table.remember(error, of: name, at: .zero) } else { table.forget(name) }
            #expect(table.count <= 5)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct FailedSourcesTests {
    @Test func whatIsNoPictureIsNotAskedForAgain() async {
        let fixture = PipelineFixture()
        fixture.answer("a", .data(Data("<html>".utf8)))
        await expect(.notAnImage) { try await fixture.pipeline.image(for: fixture.request()) }
        let error = await expect(.failedBefore) { try await fixture.pipeline.image(for: fixture.request()) }
        #expect((error?.underlying as? TintypeError)?.code == .notAnImage)
        #expect(fixture.loader.count(fixture.identity()) == 1)
        #expect(Array(fixture.pipeline.failures.all.keys) == [fixture.identity()])
    }

    @Test func whatMayPassIsAskedForAgain() async {
        let fixture = PipelineFixture()
        for code in [TintypeError.Code.badStatus, .unreachable, .timedOut, .truncatedBody, .transport] {
            fixture.answer("a", .failure(TintypeError(code, stage: .load, "test")))
            await expect(code) { try await fixture.pipeline.image(for: fixture.request()) }
        }
        #expect(fixture.pipeline.failures.all.isEmpty)
    }

    @Test func itIsForgottenByTimeByHandAndBySuccess() async throws {
        let clock = ManualClock()
        let fixture = PipelineFixture { $0.time = clock.timeSource }
        func fail() async {
            fixture.answer("a", .data(Data("<html>".utf8)))
            await expect(.notAnImage) { try await fixture.pipeline.image(for: fixture.request()) }
        }
        await fail()
        clock.advance(by: .seconds(600))
        await fail()
        fixture.pipeline.failures.forget(fixture.request().source)
        await fail()
        fixture.pipeline.failures.forgetAll()
        await fail()
        fixture.answer()
        var request = fixture.request()
        request.policy.failures = .ignored
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.pipeline.failures.all.isEmpty)
    }

    @Test func whatACacheAloneGaveDoesNotBlameTheSource() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        fixture.disk.store(CacheEntry(data: Data("<html>".utf8), format: .png), for: fixture.request().key)
        var request = fixture.request()
        request.policy.freshness = .cacheOnly
        await expect(.notAnImage) { try await fixture.pipeline.image(for: request) }
        #expect(try await fixture.pipeline.response(for: fixture.request()).origin == .network)
    }

    @Test func aCacheAnswersAllTheSame() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .data(Data("<html>".utf8)))
        await expect(.notAnImage) { try await fixture.pipeline.image(for: fixture.request()) }
        fixture.disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: fixture.request().key)
        #expect(try await fixture.pipeline.response(for: fixture.request()).origin == .disk)
    }
}
