import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// RFC 9111 by sections. At time zero, the stored response was generated, requested and received.
@Suite struct FreshnessTests {
    private static let zero = Date(timeIntervalSince1970: 1_700_000_000)
    private static let zeroText = "Tue, 14 Nov 2023 22:13:20 GMT"

    private static func at(_ seconds: Double) -> Date { zero.addingTimeInterval(seconds) }

    private static func freshness(
        _ response: HTTPFields, asking: HTTPFields = [:], first: HTTPFields? = nil, status: Int = 200, after: Double,
        delay: Double = 0
    ) -> Freshness {
        var response = response
        if !response.contains("date") { response["Date"] = zeroText }
        let url = URL(string: "http://example.org/a") ?? URL(filePath: "/")
        let stored = StoredResponse(
            DownloadResponse(url: url, status: status, headers: response),
            to: DownloadRequest(url: url, headers: first ?? asking), ExchangeTimes(sent: at(-delay), answered: zero))
        return Freshness(request: DownloadRequest(url: url, headers: asking), stored: stored, now: at(after))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let section: String
        let response: HTTPFields
        var asking: HTTPFields = [:]
        let after: Double
        let verdict: StoredVerdict

        init(
            _ section: String, _ response: HTTPFields, asking: HTTPFields = [:], after: Double, _ verdict: StoredVerdict
        ) {
            self.section = section
            self.response = response
            self.asking = asking
            self.after = after
            self.verdict = verdict
        }

        var testDescription: String { "\(section) \(response.all) \(asking.all) after \(after)" }
    }

    private static let stale = StoredVerdict.stale(usableOnError: false)

    static let cases: [Case] = [
        Case("4.2.1 max-age", ["Cache-Control": "max-age=60"], after: 59, .fresh),
        Case("4.2.1 max-age, at its end", ["Cache-Control": "max-age=60"], after: 60, stale),
        Case("4.2.1 max-age before Expires", ["Cache-Control": "max-age=60", "Expires": zeroText], after: 59, .fresh),
        Case("4.2.1 s-maxage is for shared caches", ["Cache-Control": "s-maxage=0, max-age=60"], after: 59, .fresh),
        Case("4.2.1 the first of two", ["Cache-Control": "max-age=60, max-age=0"], after: 59, .fresh),
        Case("4.2.1 Expires", ["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], after: 59, .fresh),
        Case("4.2.1 Expires, at its end", ["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], after: 60, stale),
        Case("5.3 Expires that is no date", ["Expires": "0"], after: 0, stale),
        Case("4.2.1 a length that is none", ["Cache-Control": "max-age=soon"], after: 0, stale),
        Case("1.2.2 a length too long", ["Cache-Control": "max-age=99999999999999999999"], after: 1e9, .fresh),
        Case("1.2.2 a length is at most 2^31 seconds", ["Cache-Control": "max-age=99999999999"], after: 2.2e9, stale),
        Case(
            "4.2.1 Expires before Date is a lifetime of zero",
            ["Expires": "Tue, 14 Nov 2023 22:12:20 GMT", "Cache-Control": "stale-while-revalidate=30"], after: 10,
            .usableWhileRevalidating),
        Case("5.2 quoted", ["Cache-Control": "max-age=\"60\""], after: 59, .fresh),
        Case("5.2 in any case", ["Cache-Control": "MAX-AGE=60"], after: 59, .fresh),
        Case("4.2.2 a tenth since the change", ["Last-Modified": "Tue, 14 Nov 2023 22:03:20 GMT"], after: 59, .fresh),
        Case("4.2.2 and no more", ["Last-Modified": "Tue, 14 Nov 2023 22:03:20 GMT"], after: 60, stale),
        Case("4.2.2 at most a day", ["Last-Modified": "Tue, 14 Nov 2000 22:03:20 GMT"], after: 86_400, stale),
        Case("4.2.2 nothing said", [:], after: 0, stale),
        Case("4.2.3 Age", ["Cache-Control": "max-age=60", "Age": "30"], after: 30, stale),
        Case("4.2.3 Age, before", ["Cache-Control": "max-age=60", "Age": "30"], after: 29, .fresh),
        Case(
            "4.2.3 an old Date", ["Cache-Control": "max-age=60", "Date": "Tue, 14 Nov 2023 22:12:50 GMT"], after: 30,
            stale),
        Case(
            "4.2.3 a Date to come", ["Cache-Control": "max-age=60", "Date": "Tue, 14 Nov 2023 23:13:20 GMT"], after: 59,
            .fresh),
        Case(
            "4.2.4 must-revalidate", ["Cache-Control": "max-age=60, must-revalidate, stale-if-error=99"], after: 61,
            stale),
        Case(
            "5.2.2.2 must-revalidate while fresh", ["Cache-Control": "max-age=60, must-revalidate"], after: 59, .fresh),
        Case("5.2.2.4 no-cache", ["Cache-Control": "max-age=60, no-cache"], after: 0, stale),
        Case(
            "5.2.2.4 no-cache for a field", ["Cache-Control": "max-age=60, no-cache=\"set-cookie\""], after: 0, .fresh),
        Case("5.2.2.7 private", ["Cache-Control": "private, max-age=60"], after: 59, .fresh),
        Case(
            "5.2.1.1 max-age asked", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "max-age=10"],
            after: 10, stale),
        Case(
            "5.2.1.2 max-stale", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "max-stale=10"], after: 70,
            .fresh),
        Case(
            "5.2.1.2 max-stale, beyond", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "max-stale=10"],
            after: 71, stale),
        Case(
            "5.2.1.2 max-stale, any", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "max-stale"],
            after: 1e6, .fresh),
        Case(
            "5.2.1.2 max-stale against must-revalidate", ["Cache-Control": "max-age=60, must-revalidate"],
            asking: ["Cache-Control": "max-stale"], after: 61, stale),
        Case(
            "5.2.1.3 min-fresh", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "min-fresh=10"], after: 50,
            stale),
        Case(
            "5.2.1.4 no-cache asked", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "no-cache"], after: 0,
            stale),
        Case("5.4 Pragma asked", ["Cache-Control": "max-age=60"], asking: ["Pragma": "no-cache"], after: 0, stale),
        Case(
            "5.4 Pragma beside Cache-Control", ["Cache-Control": "max-age=60"],
            asking: ["Pragma": "no-cache", "Cache-Control": "max-age=99"], after: 0, .fresh),
        Case(
            "RFC 5861, 3", ["Cache-Control": "max-age=60, stale-while-revalidate=30"], after: 90,
            .usableWhileRevalidating),
        Case("RFC 5861, 3, beyond", ["Cache-Control": "max-age=60, stale-while-revalidate=30"], after: 91, stale),
        Case("RFC 5861, 4", ["Cache-Control": "max-age=60, stale-if-error=30"], after: 90, .stale(usableOnError: true)),
        Case("RFC 5861, 4, beyond", ["Cache-Control": "max-age=60, stale-if-error=30"], after: 91, stale),
        Case(
            "RFC 5861, 4, asked", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "stale-if-error=30"],
            after: 90, .stale(usableOnError: true)),
    ]

    @Test(arguments: cases) func theVerdict(_ example: Case) {
        let freshness = Self.freshness(example.response, asking: example.asking, after: example.after)
        #expect(freshness.verdict == example.verdict)
    }

    /// RFC 9111, 4.2.3: the age includes the delay of the response.
    @Test func aSlowResponseIsOlder() {
        let fields: HTTPFields = ["Cache-Control": "max-age=60", "Age": "30"]
        #expect(Self.freshness(fields, after: 19, delay: 10).verdict == .fresh)
        #expect(Self.freshness(fields, after: 20, delay: 10).verdict == Self.stale)
        #expect(Self.freshness(["Age": "-10"], after: 0, delay: 20).age == 20)
    }

    /// RFC 9111, 4.1.
    @Test func aResponseToOtherFieldsIsNotUsed() {
        let fields: HTTPFields = ["Cache-Control": "max-age=60", "Vary": "Accept, X-Tenant"]
        let first: HTTPFields = ["accept": "image/webp", "x-tenant": "a"]
        let cases: [(HTTPFields, StoredVerdict)] = [
            (["Accept": "image/webp", "X-Tenant": "a"], .fresh),
            (["Accept": "image/png", "X-Tenant": "a"], Self.stale),
            (["Accept": "image/webp"], Self.stale),
        ]
        for (asking, verdict) in cases {
            #expect(Self.freshness(fields, asking: asking, first: first, after: 0).verdict == verdict)
        }
    }

    /// RFC 9111, 4.1: `*` matches no request.
    @Test func varyByAnythingIsNeverUsed() {
        #expect(Self.freshness(["Cache-Control": "max-age=60", "Vary": "*"], after: 0).verdict == Self.stale)
    }

    /// RFC 9111, 4.2.2: only for statuses that are heuristically cacheable (RFC 9110, 15.1).
    @Test(arguments: [(200, true), (404, true), (302, false), (500, false)])
    func heuristicFreshnessAppliesToSomeStatuses(_ status: Int, _ isFresh: Bool) {
        let freshness = Self.freshness(["Last-Modified": "Tue, 14 Nov 2000 22:03:20 GMT"], status: status, after: 9)
        #expect((freshness.verdict == .fresh) == isFresh)
    }

    /// RFC 9111, 4.2.3: a clock that was set back.
    @Test func aClockThatWasSetBackMakesNothingYounger() {
        #expect(Self.freshness(["Cache-Control": "max-age=60", "Age": "60"], after: -1000).verdict == Self.stale)
    }

    static let storing: [(HTTPFields, HTTPFields, Bool)] = [
        ([:], [:], true), (["Cache-Control": "no-store"], [:], false), ([:], ["Cache-Control": "no-store"], false),
        (["Cache-Control": "private"], [:], true), (["Vary": "*"], [:], false),
    ]

    /// RFC 9111, 3 and 5.2.2.5.
    @Test(arguments: storing) func onlyStorableResponsesAreStored(
        _ response: HTTPFields, _ asking: HTTPFields, _ isStorable: Bool
    ) {
        let url = URL(filePath: "/")
        #expect(
            Freshness.isStorable(
                DownloadResponse(url: url, status: 200, headers: response),
                for: DownloadRequest(url: url, headers: asking))
                == isStorable)
    }

    /// RFC 9111, 3.2 and 4.3.4.
    @Test func a304RenewsTheFieldsThatItRepeats() {
        let old = StoredResponse(
            status: 200,
            headers: ["ETag": "\"1\"", "Cache-Control": "max-age=1", "Age": "50", "Content-Type": "image/png"],
            selected: ["accept": "x"], requested: Self.zero, received: Self.zero)
        let new = StoredResponse(
            status: 304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=9"], requested: Self.at(5),
            received: Self.at(6))
        let renewed = old.renewed(by: new)
        #expect(renewed.status == 200 && renewed.selected == ["accept": "x"])
        #expect(renewed.headers["cache-control"] == "max-age=9" && renewed.headers["content-type"] == "image/png")
        #expect(renewed.headers["age"] == nil, "an age that is not repeated belongs to the old response")
        #expect(renewed.received == Self.at(6) && renewed.requested == Self.at(5))
    }

    /// RFC 9111, 4.3.1.
    @Test func validatorsMakeARequestConditional() {
        var headers: HTTPFields = [:]
        StoredResponse(
            status: 200, headers: ["ETag": "W/\"1\"", "Last-Modified": Self.zeroText], requested: Self.zero,
            received: Self.zero
        ).addConditions(to: &headers)
        #expect(headers["if-none-match"] == "W/\"1\"" && headers["if-modified-since"] == Self.zeroText)
    }

    @Test func aStoredResponseIsDecoded() throws {
        let stored = StoredResponse(
            status: 200, headers: ["etag": "\"a: b\"", "cache-control": "max-age=1", "vary": "accept"],
            selected: ["accept": "12ab"], requested: Self.zero, received: Self.at(1.5))
        #expect(StoredResponse(decoding: stored.encoded) == stored)
    }

    @Test func damagedMetadataIsRejected() {
        let encoded = StoredResponse(
            status: 200, headers: ["etag": "\"1\""], requested: Self.zero, received: Self.zero
        ).encoded
        for count in 0..<encoded.count { #expect(StoredResponse(decoding: encoded.prefix(count)) == nil) }
        #expect(StoredResponse(decoding: Data("{\"format\":\"png\"}".utf8)) == nil)
    }

    @Test func secretsInVaryingFieldsAreNotStored() {
        let url = URL(filePath: "/")
        let stored = StoredResponse(
            DownloadResponse(url: url, status: 200, headers: ["Vary": "Authorization", "Set-Cookie": "secret=1"]),
            to: DownloadRequest(url: url, headers: ["Authorization": "Bearer secret"]),
            ExchangeTimes(sent: Self.zero, answered: Self.zero))
        #expect(!String(decoding: stored.encoded, as: UTF8.self).contains("secret"))
    }
}

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Fri, 01-Jan-38 00:00:00 GMT", 2_145_916_800),
            ("Thursday, 01-Jan-70 00:00:00 GMT", 0), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ] as [(String, Double)]) func threeFormatsAreParsed(_ text: String, _ seconds: Double)
    {
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "tomorrow", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 19945 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
    ]) func anythingElseIsRejected(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}

@Suite struct HTTPListTests {
    @Test func commasInQuotesDoNotSeparate() {
        #expect(HTTPList.elements(" a , \"b, c\",, d=\"e\\\",f\" ") == ["a", "\"b, c\"", "d=\"e\\\",f\""])
    }
}
