import Foundation
import Testing
import TintypeCore

@testable import TintypeShared

@Suite struct LeaseMarkTests {
    private let key = CacheKey(source: "https://example.org/a.png", rendition: "fit(1x1)")
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func value(_ mark: LeaseMark) throws -> Data {
        try #require(mark.encoded(for: key, at: now, lifetime: .seconds(5)))
    }

    private func read(_ value: Data, after seconds: Double = 0) -> LeaseMark? {
        LeaseMark(decoding: value, for: key, at: now.addingTimeInterval(seconds))
    }

    @Test func anErrorRoundTrips() throws {
        let error = TintypeError(.badStatus, stage: .load, "status 404\nof the origin", status: 404)
        guard case .failed(let read) = try read(value(LeaseMark(error))) else {
            Issue.record("not an error")
            return
        }
        #expect(read.code == .badStatus && read.stage == .load && read.status == 404)
        #expect(read.message == "status 404\nof the origin")
    }

    @Test func theOtherMarksRoundTrip() throws {
        guard case .abandoned = try read(value(.abandoned)), case .unshared = try read(value(.unshared)) else {
            Issue.record("another mark")
            return
        }
    }

    @Test func aMarkEndsWithItsLifetime() throws {
        let value = try value(.abandoned)
        #expect(read(value, after: 4.999) != nil && read(value, after: 5) == nil)
    }

    /// An error that comes from the machine itself must not make another machine fail.
    @Test(arguments: TintypeError.Code.allCases) func onlyErrorsOfTheSourceAreShared(_ code: TintypeError.Code) throws {
        let isOfTheSource: Set<TintypeError.Code> = [
            .notFound, .badStatus, .badContentType, .tooManyRedirects, .emptyBody, .truncatedBody, .unreachable,
            .timedOut, .transport, .insecure, .undecipherable, .notAnImage, .undecodable, .decoderCrashed,
        ]
        let error = TintypeError(code, stage: .load, "it failed")
        let isShared = if case .failed = LeaseMark(error) { true } else { false }
        #expect(isShared == isOfTheSource.contains(code))
        // A mark that claims such an error is not read.
        #expect((try read(value(.failed(error))) != nil) == isShared)
    }

    @Test func damagedMarksAreNotRead() throws {
        let value = try value(LeaseMark(TintypeError(.badStatus, stage: .load, "status 404", status: 404)))
        for index in value.indices {
            var damaged = value
            damaged[index] ^= 1
            #expect(read(damaged) == nil)
            #expect(read(value.prefix(index)) == nil)
        }
        #expect(LeaseMark(decoding: value, for: CacheKey(source: "b"), at: now) == nil)
    }

    @Test(arguments: ["", "failed", "failed\nnoSuchCode\nload\n\n", "failed\nbadStatus\nnoSuchStage\n\n", "other"])
    func textsThatAreNoMarksAreNotRead(_ text: String) throws {
        let entry = CacheEntry(data: Data(text.utf8), format: nil)
        let shared = SharedEntry(key: key, entry: entry, stored: now)
        #expect(read(try #require(shared.encoded)) == nil)
    }

    @Test func tokensAreThirtyTwoDigitsAndDiffer() {
        let tokens = (0..<100).map { _ in LeaseToken.random() }
        #expect(Set(tokens).count == 100 && tokens.allSatisfy { $0.description.utf8.count == 32 })
        #expect(LeaseToken(high: 1, low: 0xAB).description == "000000000000000100000000000000ab")
    }
}
