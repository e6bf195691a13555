import Foundation
import Testing
import TintypeCore
import TintypeHTTP

@testable import TintypeServer

@Suite struct FailureTests {
    /// The rows of the table of failures: status, seconds in caches, seconds in the server's memory, `Retry-After`.
    @Test(
        arguments: [
            (.invalidRequest, 400, nil, nil, false), (.expired, 410, nil, nil, false),
            (.badSignature, 403, nil, nil, false), (.forbiddenSource, 403, nil, nil, false),
            (.noSuchRoute, 404, nil, nil, false), (.originRefused(status: 404), 404, 60, 60, false),
            (.originRefused(status: 410), 410, 60, 60, false), (.originRefused(status: 451), 451, 60, 60, false),
            (.originFailed, 502, nil, 5, false), (.originTimedOut, 504, nil, 5, false),
            (.unprocessable, 422, 300, 300, false), (.unsupportedOutput, 415, 300, 300, false),
            (.queueFull, 429, nil, nil, true), (.unavailable, 503, nil, nil, true),
            (.deadlineExceeded, 503, nil, nil, true), (.clientGone, 499, nil, nil, false),
            (.internalError, 500, nil, nil, false),
        ] as [(Failure.Kind, Int, Int?, Int?, Bool)])
    func aKindHasAStatusAndALifetime(
        _ kind: Failure.Kind, _ status: Int, _ cached: Int?, _ negative: Int?, _ asksForRetry: Bool
    ) {
        let failure = Failure(kind, code: "c", detail: "d")
        #expect(failure.status == status && failure.maximumAge == cached && failure.negativeLifetime == negative)
        #expect(failure.asksForRetry == asksForRetry)
        var generator = SystemRandomNumberGenerator()
        let response = ProblemResponse(failure: failure, requestID: "r").response(using: &generator)
        #expect(response.fields["Cache-Control"] == cached.map { "public, max-age=\($0)" } ?? "no-store")
        #expect((response.fields["Retry-After"] != nil) == asksForRetry)
    }

    @Test(
        arguments: [
            (404, 404), (410, 410), (403, 403), (400, 400), (451, 451), (401, 403), (407, 403), (408, 504), (429, 502),
            (416, 502), (500, 502), (503, 502), (304, 502), (200, 502), (nil, 502),
        ] as [(Int?, Int)])
    func theOriginsStatusIsPassedOnIfItConcernsTheClient(_ status: Int?, _ expected: Int) {
        #expect(Failure(TintypeError(.badStatus, stage: .load, "m", status: status)).status == expected)
        #expect(Failure(TintypeError(.failedBefore, stage: .load, "m", status: status)).status == expected)
    }

    @Test func everyErrorOfThePipelineHasAStatus() {
        let expected: [TintypeError.Code: Int] = [
            .invalidSource: 400, .notFound: 404, .unreadable: 502, .unwritable: 500, .unreachable: 502, .timedOut: 504,
            .failedBefore: 502, .transport: 502, .insecure: 502, .forbidden: 403, .refusedRequest: 403,
            .refusedResponse: 502, .badContentType: 422, .undecipherable: 502, .invalidated: 503, .badStatus: 502,
            .tooManyRedirects: 502, .emptyBody: 502, .truncatedBody: 502, .limitExceeded: 422, .notAnImage: 422,
            .noCoder: 422, .undecodable: 422, .decoderCrashed: 422, .noWorker: 503, .notAnimated: 422,
            .noSuchFrame: 422, .outOfMemory: 503, .transformFailed: 500, .encodeFailed: 500, .refused: 403,
            .notCached: 504, .cancelled: 499,
        ]
        for code in TintypeError.Code.allCases {
            #expect(Failure(TintypeError(code, stage: .load, "m")).status == expected[code], "\(code)")
        }
        #expect(Failure(TintypeError(.noCoder, stage: .encode, "m")).status == 415)
        #expect(Failure(TintypeError(.timedOut, stage: .decode, "m")).status == 503)
    }

    @Test(arguments: [false, true]) func onlyDevelopmentModeTellsTheDetail(_ isDevelopment: Bool) throws {
        let error = TintypeError(.notAnImage, stage: .decode, "no \"image\"\n", subject: "http://secret.example/a?k=1")
        var generator = SystemRandomNumberGenerator()
        let response = ProblemResponse(failure: Failure(error), requestID: "r-1", isDevelopment: isDevelopment)
            .response(using: &generator)
        let body = try #require(response.body)
        let object = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(object["title"] as? String == "Unprocessable Content" && object["status"] as? Int == 422)
        #expect(object["code"] as? String == "notAnImage" && object["request_id"] as? String == "r-1")
        #expect((object["detail"] as? String)?.contains("secret.example") == (isDevelopment ? true : nil))
        #expect(String(decoding: body, as: UTF8.self).contains("secret.example") == isDevelopment)
        #expect(response.fields["Content-Type"] == "application/problem+json")
        #expect(response.fields["Content-Length"] == "\(body.count)")
    }

    @Test(
        arguments: [
            (.originRefused(status: 404), 404, "public, max-age=60"), (.originFailed, 502, "public, max-age=60"),
            (.unprocessable, 422, "public, max-age=60"), (.queueFull, 429, "no-store"),
            (.badSignature, 403, "no-store"),
        ] as [(Failure.Kind, Int, String)])
    func aFallbackImageKeepsTheStatusAndIsMarked(_ kind: Failure.Kind, _ status: Int, _ control: String) {
        var problem = ProblemResponse(failure: Failure(kind, code: "c", detail: "d"), requestID: "r")
        problem.fallback = ProblemResponse.Fallback(contentType: "image/png", bytes: Data([1, 2]))
        var generator = SystemRandomNumberGenerator()
        let response = problem.response(using: &generator)
        #expect(response.status == status && response.body == Data([1, 2]))
        #expect(response.fields["Tintype-Fallback"] == "c" && response.fields["Content-Type"] == "image/png")
        #expect(response.fields["Cache-Control"] == control)
    }

    @Test func aProblemVariesLikeTheImage() {
        var problem = ProblemResponse(failure: Failure(.unprocessable, code: "c", detail: "d"), requestID: "r")
        (problem.vary, problem.crossOrigin) = (["Accept"], .origins(["https://a.example"]))
        var generator = SystemRandomNumberGenerator()
        let response = problem.response(using: &generator)
        #expect(response.fields["Vary"] == "Accept, Origin" && response.answering("HEAD") == response.withoutBody)
    }

    @Test func retriesAreSpreadOverAllDelays() {
        var generator = SystemRandomNumberGenerator()
        let delays = Set((0..<500).map { _ in RetryDelay.seconds(using: &generator) })
        #expect(delays == Set(1...5))
    }

    @Test(arguments: [
        ("a", true), ("Ab-1_", true), (String(repeating: "a", count: 128), true),
        (String(repeating: "a", count: 129), false), ("", false), ("a b", false), ("a\r\nb", false), ("ä", false),
        ("a.b", false),
    ])
    func anIdentifierFromOutsideIsUsedIfItIsSafe(_ sent: String, _ isUsed: Bool) {
        let identifier = RequestID.accept(sent)
        #expect((identifier == sent) == isUsed && RequestID.isValid(identifier))
    }

    @Test func everyResponseTellsTheIdentifier() {
        let response = ServerResponse.report(contentType: "text/plain", "a").identified(by: "r-1")
        #expect(response.fields["X-Request-Id"] == "r-1" && response.fields["Cache-Control"] == "no-store")
    }

    @Test(arguments: [
        ("Bearer s3cret-token", true), ("bearer  s3cret-token ", true), ("Bearer s3cret-toke", false),
        ("Bearer s3cret-tokenx", false), ("Basic s3cret-token", false), ("s3cret-token", false), ("", false),
        ("Bearer", false), ("Bearer ", false),
    ])
    func onlyTheSecretOpensTheGate(_ value: String, _ isOpen: Bool) {
        let gate = BearerGate(token: "s3cret-token")
        #expect(gate.allows(["Authorization": value]) == isOpen)
        #expect(!gate.allows([:]))
        var twice: HTTPFields = ["Authorization": value]
        twice.add(name: "authorization", value: value)
        #expect(!gate.allows(twice))
    }

    @Test func newIdentifiersDiffer() {
        let identifiers = Set((0..<1000).map { _ in RequestID.accept(nil) })
        #expect(identifiers.count == 1000 && identifiers.allSatisfy { $0.count == 32 && RequestID.isValid($0) })
    }
}
