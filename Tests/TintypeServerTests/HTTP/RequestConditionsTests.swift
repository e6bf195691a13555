import Foundation
import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct RequestConditionsTests {
    /// `Sat, 29 Oct 1994 19:43:31 GMT`, the date of RFC 9110, 13.1.3.
    private static let date = Date(timeIntervalSince1970: 783_459_811)
    private static let validators = Validators(digest: Array(0..<32), lastModified: date.addingTimeInterval(0.7))
    private static var tag: String { validators.tag.text }

    @Test func theTagIsTheBeginningOfTheDigest() {
        #expect(Self.tag == "\"AAECAwQFBgcICQoLDA0ODw\"")
        let other = Validators(digest: [UInt8](repeating: 0xFB, count: 32), lastModified: Self.date)
        #expect(other.tag.text == "\"-_v7-_v7-_v7-_v7-_v7-w\"" && !other.tag.isWeak)
    }

    /// The forms of RFC 9110, 13.1.2, weak comparison of 8.8.3.2.
    @Test(arguments: [
        ("TAG", true), ("W/TAG", true), ("\"xyzzy\", \"r2d2xxxx\", TAG", true), ("*", true), (" TAG ", true),
        ("\"xyzzy\",TAG", true), ("\"a\\\", TAG", true), ("\"a,b\", W/\"\", TAG", true), ("\"xyzzy\"", false),
        ("w/TAG", false), ("AAECAwQFBgcICQoLDA0ODw", false), ("", false), ("\"unclosed, TAG", false),
    ])
    func aTagOfTheListIsComparedWeakly(_ value: String, _ isMatch: Bool) {
        let fields: HTTPFields = ["If-None-Match": value.replacing("TAG", with: Self.tag)]
        #expect(RequestConditions(fields).outcome(for: Self.validators) == (isMatch ? .notModified : .proceed))
    }

    @Test(arguments: [
        ("Sat, 29 Oct 1994 19:43:31 GMT", true), ("Sat, 29 Oct 1994 19:43:32 GMT", true),
        ("Saturday, 29-Oct-94 19:43:31 GMT", true), ("Sat Oct 29 19:43:31 1994", true),
        ("Sat, 29 Oct 1994 19:43:30 GMT", false), ("yesterday", false),
    ])
    func aDateIsComparedInWholeSeconds(_ value: String, _ isMatch: Bool) {
        let conditions = RequestConditions(["If-Modified-Since": value])
        #expect(conditions.outcome(for: Self.validators) == (isMatch ? .notModified : .proceed))
    }

    /// RFC 9110, 13.2.2.
    @Test(
        arguments: [
            (["If-None-Match": "\"other\"", "If-Modified-Since": "Sat, 29 Oct 1994 19:43:31 GMT"], .proceed),
            (["If-None-Match": "TAG", "If-Modified-Since": "Sat, 29 Oct 1993 19:43:31 GMT"], .notModified),
            (["If-Match": "\"other\""], .failed), (["If-Match": "W/TAG"], .failed), (["If-Match": "TAG"], .proceed),
            (["If-Match": "*"], .proceed), (["If-Match": "TAG", "If-None-Match": "TAG"], .notModified),
            (["If-Unmodified-Since": "Sat, 29 Oct 1994 19:43:30 GMT"], .failed),
            (["If-Unmodified-Since": "Sat, 29 Oct 1994 19:43:31 GMT"], .proceed),
            (["If-Match": "TAG", "If-Unmodified-Since": "Sat, 29 Oct 1993 19:43:30 GMT"], .proceed),
            ([:], .proceed),
        ] as [(HTTPFields, RequestConditions.Outcome)])
    func tagsWinOverDates(_ fields: HTTPFields, _ outcome: RequestConditions.Outcome) {
        let fields = HTTPFields(fields.all.map { ($0.name, $0.value.replacing("TAG", with: Self.tag)) })
        #expect(RequestConditions(fields).outcome(for: Self.validators) == outcome)
    }

    @Test(
        arguments: [
            (nil, true), ("TAG", true), ("W/TAG", false), ("\"other\"", false),
            ("Sat, 29 Oct 1994 19:43:31 GMT", false),
        ] as [(String?, Bool)])
    func aRangeNeedsTheSameStrongTag(_ value: String?, _ isAllowed: Bool) {
        var fields = HTTPFields()
        fields["If-Range"] = value?.replacing("TAG", with: Self.tag)
        #expect(RequestConditions(fields).allowRange(of: Self.validators) == isAllowed)
    }

    @Test func anEndlessListIsReadInPart() {
        let list = Array(repeating: "\"a\"", count: EntityTagList.maximumCount).joined(separator: ",")
        #expect(EntityTagList.tags(list + ",\"b\"").count == EntityTagList.maximumCount)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] as [(Double, String)])
    func aDateIsWrittenInTheFormOfTheSpecification(_ seconds: Double, _ text: String) {
        #expect(HTTPDate.text(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(
        arguments: [
            (1_700_000_000.25, "2023-11-14T22:13:20.250Z"), (0, "1970-01-01T00:00:00.000Z"),
            (951_868_799.9996, "2000-03-01T00:00:00.000Z"), (.infinity, "9999-12-31T23:59:59.000Z"),
        ] as [(Double, String)])
    func aTimestampHasMilliseconds(_ seconds: Double, _ text: String) {
        #expect(HTTPDate.timestamp(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test func everyDayOfACenturyIsReadBack() {
        for day in 0..<36_525 {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_661)
            #expect(HTTPDate.parse(HTTPDate.text(date)) == date)
        }
    }
}
