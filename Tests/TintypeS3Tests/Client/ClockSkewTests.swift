import Foundation
import Testing
import TintypeHTTP

@testable import TintypeS3

@Suite struct ClockSkewTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func failure(_ status: Int, _ code: String?) -> S3Failure {
        let text = code.map { "<Error><Code>\($0)</Code></Error>" } ?? ""
        return S3Failure(
            status: status, headers: HTTPFields(), document: ErrorDocument(Data(text.utf8)), at: now)
    }

    @Test(arguments: [-86_400.0, -901, 901, 3e8])
    func theDateOfTheStoreSignsLaterRequests(difference: Double) {
        var skew = ClockSkew()
        let isCorrected = skew.correct(
            after: failure(403, "RequestTimeTooSkewed"), date: now.addingTimeInterval(difference), signed: now, at: now)
        #expect(isCorrected && skew.date(at: now + 5) == now.addingTimeInterval(difference + 5))
    }

    @Test func aResponseWithoutACodeCorrectsOnlyIfItsDateDiffers() {
        var skew = ClockSkew()
        let isCorrectedByLess = skew.correct(after: failure(403, nil), date: now + 59, signed: now, at: now)
        #expect(!isCorrectedByLess && skew.offset == 0)
        let isCorrected = skew.correct(after: failure(403, nil), date: now + 900, signed: now, at: now)
        #expect(isCorrected && skew.offset == 900)
    }

    @Test func aClockThatWasCorrectedIsComparedWithTheDateOfTheSignature() {
        var skew = ClockSkew()
        let failure = failure(403, "RequestTimeTooSkewed")
        let isCorrected = skew.correct(after: failure, date: now + 3600, signed: now, at: now)
        let isCorrectedAgain = skew.correct(after: failure, date: now + 3600, signed: skew.date(at: now), at: now)
        #expect(isCorrected && !isCorrectedAgain)
    }

    @Test(
        arguments: [
            (403, "SignatureDoesNotMatch"), (403, "AccessDenied"), (404, nil), (503, "SlowDown"), (400, nil),
        ] as [(Int, String?)])
    func otherRefusalsCorrectNothing(status: Int, code: String?) {
        var skew = ClockSkew()
        let isCorrected = skew.correct(after: failure(status, code), date: now + 86_400, signed: now, at: now)
        #expect(!isCorrected && skew.offset == 0)
    }

    @Test func aResponseWithoutADateCorrectsNothing() {
        var skew = ClockSkew()
        let isCorrected = skew.correct(after: failure(403, "RequestTimeTooSkewed"), date: nil, signed: now, at: now)
        #expect(!isCorrected)
    }
}
