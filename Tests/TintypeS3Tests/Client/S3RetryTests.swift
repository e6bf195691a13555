import Foundation
import Testing
import TintypeCore
import TintypeHTTP

@testable import TintypeS3

@Suite struct S3RetryTests {
    private func status(_ status: Int, _ code: String? = nil, retryAfter: String? = nil) -> TintypeError {
        var headers = HTTPFields()
        if let retryAfter { headers["Retry-After"] = retryAfter }
        let text = code.map { "<Error><Code>\($0)</Code></Error>" } ?? ""
        return S3Failure(
            status: status, headers: headers, document: ErrorDocument(Data(text.utf8)), at: Date()
        ).error(about: "s3://photos/a")
    }

    private func failure(_ code: TintypeError.Code) -> TintypeError { TintypeError(code, stage: .load, "failed") }

    @Test(arguments: [200, 301, 304, 400, 403, 404, 409, 412, 416, 501, 505])
    func otherStatusesAreFinal(number: Int) {
        var retry = S3Retry(.background, from: .zero)
        #expect(retry.pause(after: status(number), at: .zero, chance: 0.5) == nil)
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func statusesOfAnOverloadedStoreAreRetried(number: Int) {
        var retry = S3Retry(.request, from: .zero)
        #expect(retry.pause(after: status(number), at: .zero, chance: 0.5) != nil)
    }

    @Test func aSlowBodyIsRetriedAlthoughItsStatusIs400() {
        var retry = S3Retry(.request, from: .zero)
        #expect(retry.pause(after: status(400, "RequestTimeout"), at: .zero, chance: 0) == .zero)
        #expect(S3Retry(.request, from: .zero).count == 0 && retry.count == 1)
    }

    @Test func theRequestPathHasOneRetryAndTheBackgroundThree() {
        for (limits, count) in [(S3Limits.request, 1), (.background, 3), (.source, 1)] {
            var retry = S3Retry(limits, from: .zero)
            for _ in 0..<count { #expect(retry.pause(after: failure(.unreachable), at: .zero, chance: 0) != nil) }
            #expect(retry.pause(after: failure(.unreachable), at: .zero, chance: 0) == nil)
        }
    }

    @Test func timeOutsAreRetriedOnlyInTheBackground() {
        var request = S3Retry(.request, from: .zero)
        var background = S3Retry(.background, from: .zero)
        #expect(request.pause(after: failure(.timedOut), at: .zero, chance: 0) == nil)
        #expect(background.pause(after: failure(.timedOut), at: .zero, chance: 0) != nil)
    }

    @Test(arguments: [
        TintypeError.Code.cancelled, .insecure, .limitExceeded, .invalidSource, .forbidden, .undecipherable,
    ])
    func otherFailuresAreFinal(code: TintypeError.Code) {
        var retry = S3Retry(.background, from: .zero)
        #expect(retry.pause(after: failure(code), at: .zero, chance: 0) == nil)
    }

    @Test func thePauseIsRandomBelowALimitThatDoublesUpToTwoSeconds() {
        var limits = S3Limits.background
        (limits.maximumRetries, limits.total) = (100, .seconds(1000))
        var retry = S3Retry(limits, from: .zero)
        var shortest = S3Retry(limits, from: .zero)
        var pauses: [Duration] = []
        for _ in 0..<40 {
            pauses.append(retry.pause(after: failure(.transport), at: .zero, chance: 1) ?? .zero)
            #expect(shortest.pause(after: failure(.transport), at: .zero, chance: 0) == .zero)
        }
        #expect(Array(pauses.prefix(6)) == [100, 200, 400, 800, 1600, 2000].map { Duration.milliseconds($0) })
        #expect(pauses.allSatisfy { $0 <= .seconds(2) })
    }

    @Test func aStoreCanAskForALongerPauseWithinTheTotalTime() {
        var retry = S3Retry(.request, from: .zero)
        #expect(retry.pause(after: status(503, retryAfter: "1"), at: .zero, chance: 0) == .seconds(1))
        var late = S3Retry(.request, from: .zero)
        #expect(late.pause(after: status(503, retryAfter: "2"), at: .zero, chance: 0) == nil)
    }

    @Test func noAttemptBeginsOrEndsAfterTheTotalTime() {
        var retry = S3Retry(.request, from: .seconds(100))
        #expect(retry.attemptTime(at: .seconds(101)) == .seconds(1))
        #expect(retry.attemptTime(at: .seconds(103)) == .zero)
        #expect(retry.pause(after: failure(.transport), at: .seconds(102), chance: 0) == nil)
        #expect(retry.pause(after: failure(.transport), at: .milliseconds(101_950), chance: 0.9) == nil)
        #expect(retry.pause(after: failure(.transport), at: .milliseconds(101_950), chance: 0.1) != nil)
    }
}
