import Testing

@testable import TintypeCore

/// Errors that are passed on with more, or other, details.
@Suite struct TintypeErrorTests {
    private struct Cause: Error {}

    private let error = TintypeError(
        .badContentType, stage: .decode, "a message", status: 200, contentType: "text/html", underlying: Cause())

    @Test func theStageChangesAlone() {
        let moved = error.at(.encode)
        #expect(moved.stage == .encode && moved.code == error.code && moved.message == error.message)
        #expect(moved.subject == nil && moved.status == 200 && moved.contentType == "text/html")
        #expect(moved.underlying is Cause)
    }

    @Test func theFirstSubjectStays() {
        #expect(error.about("a").about("b").subject == "a")
        #expect(error.about("a").at(.encode).subject == "a")
        #expect(TintypeError.cancelled.about("a").subject == nil)
    }

    @Test func aLongMessageIsCutOff() {
        let text = String(repeating: "a", count: 1 << 20)
        #expect(TintypeError(.undecipherable, stage: .load, text).message == "\(text.prefix(1000))…")
    }
}
