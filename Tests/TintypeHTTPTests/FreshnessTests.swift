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
            after: Self.chain(
                asking: first ?? asking, headers: response, status: status,
                ExchangeTimes(sent: at(-delay), received: zero)), storing: .caching)
        return Freshness(request: DownloadRequest(url: url, headers: asking), stored: stored, now: at(after))
    }

    private static func chain(
        asking: HTTPFields, headers: HTTPFields, status: Int = 200, _ times: ExchangeTimes
    ) -> ExchangeChain {
        let url = URL(string: "http://example.org/a") ?? URL(filePath: "/")
        return ExchangeChain(
            ExchangeChain.Link(
                request: DownloadRequest(url: url, headers: asking), status: status, headers: headers, times: times))
    }

    private static func stored(_ headers: HTTPFields, status: Int = 200) -> StoredResponse {
        StoredResponse(
            head: StoredHead(status: status, headers: headers, times: ExchangeTimes(sent: zero, received: zero)))
    }

    @Test(
        arguments: [
            ("0", 0), ("31536000", 31_536_000), ("2147483648", 2_147_483_648), ("99999999999", 2_147_483_648),
            ("", nil),
            ("1:", nil), ("/1", nil), ("-1", nil), ("1.5", nil),
        ] as [(String, Double?)])
    func aNumberOfSecondsHasOnlyDigits(_ text: String, _ seconds: Double?) {
        #expect(DeltaSeconds.parse(text) == seconds)
    }

    @Test(arguments: [
        ("GET", false), ("HEAD", false), ("OPTIONS", false), ("TRACE", false), ("POST", true), ("X", true),
    ])
    func aMethodThatIsNotSafeMayChangeTheResource(_ method: String, _ isUnsafe: Bool) {
        let request = DownloadRequest(url: URL(filePath: "/"), method: method)
        #expect(request.isUnsafe == isUnsafe)
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

    private static let unusable = StoredVerdict.stale(usableOnError: false)
    private static let stale = StoredVerdict.usableWhenUnreachable

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
            unusable),
        Case(
            "5.2.2.2 must-revalidate while fresh", ["Cache-Control": "max-age=60, must-revalidate"], after: 59, .fresh),
        Case("5.2.2.4 no-cache", ["Cache-Control": "max-age=60, no-cache"], after: 0, unusable),
        Case(
            "5.2.2.4 no-cache for a field", ["Cache-Control": "max-age=60, no-cache=\"set-cookie\""], after: 0, .fresh),
        Case("5.2.2.7 private", ["Cache-Control": "private, max-age=60"], after: 59, .fresh),
        Case(
            "5.2.1.1 max-age asked", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "max-age=10"],
            after: 10, unusable),
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
            asking: ["Cache-Control": "max-stale"], after: 61, unusable),
        Case(
            "5.2.1.3 min-fresh", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "min-fresh=10"], after: 50,
            unusable),
        Case(
            "5.2.1.4 no-cache asked", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "no-cache"], after: 0,
            unusable),
        Case("5.4 Pragma asked", ["Cache-Control": "max-age=60"], asking: ["Pragma": "no-cache"], after: 0, unusable),
        Case(
            "5.4 Pragma beside Cache-Control", ["Cache-Control": "max-age=60"],
            asking: ["Pragma": "no-cache", "Cache-Control": "max-age=99"], after: 0, .fresh),
        Case(
            "RFC 5861, 3", ["Cache-Control": "max-age=60, stale-while-revalidate=30"], after: 90,
            .usableWhileRevalidating),
        Case("RFC 5861, 3, beyond", ["Cache-Control": "max-age=60, stale-while-revalidate=30"], after: 91, stale),
        Case("RFC 5861, 4", ["Cache-Control": "max-age=60, stale-if-error=30"], after: 90, .stale(usableOnError: true)),
        Case("RFC 5861, 4, beyond", ["Cache-Control": "max-age=60, stale-if-error=30"], after: 91, unusable),
        Case(
            "RFC 5861, 4, asked", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "stale-if-error=30"],
            after: 90, .stale(usableOnError: true)),
        Case(
            "RFC 5861, 4, asked, beyond", ["Cache-Control": "max-age=60"],
            asking: ["Cache-Control": "stale-if-error=30"], after: 91, unusable),
        Case(
            "5.2.1.1 max-age asked, within stale-while-revalidate",
            ["Cache-Control": "max-age=60, stale-while-revalidate=60"], asking: ["Cache-Control": "max-age=10"],
            after: 20, unusable),
        Case("5.1 Age with a fraction", ["Cache-Control": "max-age=60", "Age": "70.0"], after: 0, .fresh),
        Case("5.1 a negative Age", ["Cache-Control": "max-age=60", "Age": "-70"], after: 0, .fresh),
        Case("5.1 Age that is no number", ["Cache-Control": "max-age=60", "Age": "1e9"], after: 0, .fresh),
        Case("5.1 the first Age of a list", ["Cache-Control": "max-age=60", "Age": "70, 0"], after: 0, stale),
        Case("5.1 not the second", ["Cache-Control": "max-age=60", "Age": "0, 70"], after: 0, .fresh),
        Case("5.1 the first of two fields", ["Cache-Control": "max-age=60", "Age": "70", "age": "0"], after: 0, stale),
        Case(
            "1.2.2 an age of at most 2^31", ["Cache-Control": "max-age=60", "Age": "99999999999999999999"], after: 0,
            stale),
        Case("5.2.2.5 no-store", ["Cache-Control": "max-age=60, no-store"], after: 0, unusable),
        Case(
            "5.2.2.3 must-understand", ["Cache-Control": "max-age=60, no-store, must-understand"], after: 0, .fresh),
        Case(
            "5.2.1.5 no-store asked", ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "no-store"], after: 0,
            unusable),
        Case(
            "RFC 8246, 2 immutable on reload", ["Cache-Control": "max-age=60, immutable"],
            asking: ["Cache-Control": "max-age=0"], after: 59, .fresh),
        Case("RFC 8246, 2 immutable once stale", ["Cache-Control": "max-age=60, immutable"], after: 60, stale),
        Case(
            "RFC 8246, 2 immutable, no-cache asked", ["Cache-Control": "max-age=60, immutable"],
            asking: ["Cache-Control": "no-cache"], after: 0, unusable),
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
        #expect(Self.freshness(["Age": "-10"], after: 0, delay: 20).stored.head.age(at: Self.zero) == 20)
    }

    /// RFC 9111, 4.1.
    @Test func aResponseToOtherFieldsIsNotUsed() {
        let fields: HTTPFields = ["Cache-Control": "max-age=60", "Vary": "Accept, X-Tenant"]
        let first: HTTPFields = ["accept": "image/webp", "x-tenant": "a"]
        let cases: [(HTTPFields, StoredVerdict)] = [
            (["Accept": "image/webp", "X-Tenant": "a"], .fresh),
            (["Accept": "image/png", "X-Tenant": "a"], Self.unusable),
            (["Accept": "image/webp"], Self.unusable),
        ]
        for (asking, verdict) in cases {
            #expect(Self.freshness(fields, asking: asking, first: first, after: 0).verdict == verdict)
        }
    }

    /// RFC 9111, 4.1: `*` matches no request.
    @Test func varyByAnythingIsNeverUsed() {
        #expect(Self.freshness(["Cache-Control": "max-age=60", "Vary": "*"], after: 0).verdict == Self.unusable)
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
            Storability.allows(
                DownloadResponse(url: url, status: 200, headers: response),
                to: DownloadRequest(url: url, headers: asking))
                == isStorable)
    }

    static let sharing: [(HTTPFields, HTTPFields, Bool)] = [
        (["Cache-Control": "max-age=60"], [:], true), (["Cache-Control": "private, max-age=60"], [:], false),
        (["Cache-Control": "private=\"a\", max-age=60"], [:], false),
        (["Cache-Control": "max-age=60"], ["Authorization": "a"], false),
        (["Cache-Control": "public"], ["Authorization": "a"], true),
        (["Cache-Control": "s-maxage=60"], ["Authorization": "a"], true),
        (["Cache-Control": "max-age=60, must-revalidate"], ["Authorization": "a"], true),
        (["Cache-Control": "public, no-store"], [:], false),
    ]

    /// RFC 9111, 3.5 and 5.2.2.7.
    @Test(arguments: sharing) func aSharedCacheStoresWhatIsForAll(
        _ response: HTTPFields, _ asking: HTTPFields, _ isStorable: Bool
    ) {
        let url = URL(filePath: "/")
        #expect(
            Storability.allows(
                DownloadResponse(url: url, status: 200, headers: response),
                to: DownloadRequest(url: url, headers: asking), isShared: true) == isStorable)
    }

    static let shared: [(String, Double, StoredVerdict, StoredVerdict)] = [
        ("max-age=60, s-maxage=10", 9, .fresh, .fresh), ("max-age=60, s-maxage=10", 11, .fresh, unusable),
        ("max-age=10, s-maxage=60", 11, .usableWhenUnreachable, .fresh),
        ("max-age=10, proxy-revalidate", 11, .usableWhenUnreachable, unusable),
        ("max-age=10, stale-while-revalidate=5", 11, .usableWhileRevalidating, .usableWhileRevalidating),
    ]

    /// RFC 9111, 5.2.2.8 and 5.2.2.10.
    @Test(arguments: shared) func directivesForSharedCachesHoldThereAlone(
        _ control: String, _ after: Double, _ own: StoredVerdict, _ shared: StoredVerdict
    ) {
        var freshness = Self.freshness(["Cache-Control": control], after: after)
        #expect(freshness.verdict == own)
        freshness.isShared = true
        #expect(freshness.verdict == shared)
    }

    /// RFC 9110, 9.2.3; RFC 9111, 4.
    @Test(arguments: [("GET", true), ("HEAD", true), ("POST", false), ("PUT", false), ("get", false)])
    func onlySafeMethodsAreStoredAndAnswered(_ method: String, _ isCacheable: Bool) throws {
        let url = try #require(URL(string: "http://example.org/a"))
        let request = DownloadRequest(url: url, method: method)
        let response = DownloadResponse(url: url, status: 200, headers: ["Cache-Control": "max-age=60"])
        #expect(Storability.allows(response, to: request) == isCacheable)
        let freshness = Freshness(request: request, stored: Self.stored(response.headers), now: Self.at(1))
        #expect((freshness.verdict == .fresh) == isCacheable)
    }

    /// RFC 9111, 5.2.2.3: a status that the cache does not know.
    @Test(arguments: [(200, true), (299, false), (599, false)])
    func mustUnderstandStoresKnownStatuses(_ status: Int, _ isStorable: Bool) {
        let headers: HTTPFields = ["Cache-Control": "max-age=60, no-store, must-understand"]
        let url = URL(filePath: "/")
        let response = DownloadResponse(url: url, status: status, headers: headers)
        #expect(Storability.allows(response, to: DownloadRequest(url: url)) == isStorable)
    }

    /// RFC 9111, 5.2.2.9.
    @Test func publicAllowsHeuristicFreshnessForEveryStatus() {
        let fields: HTTPFields = ["Last-Modified": "Tue, 14 Nov 2000 22:03:20 GMT", "Cache-Control": "public"]
        #expect(Self.freshness(fields, status: 599, after: 9).verdict == .fresh)
    }

    static let redirects: [(HTTPFields, Double, StoredVerdict)] = [
        (["Cache-Control": "max-age=60"], 59, .fresh), (["Cache-Control": "max-age=10"], 9, .fresh),
        (["Cache-Control": "max-age=10"], 10, stale), ([:], 0, stale),
        (["Cache-Control": "max-age=60, no-cache"], 0, unusable), (["Cache-Control": "no-store"], 0, unusable),
        (["Cache-Control": "max-age=10, must-revalidate"], 11, unusable),
        (["Cache-Control": "max-age=10, stale-while-revalidate=5"], 12, .usableWhileRevalidating),
        (["Cache-Control": "max-age=10, stale-if-error=5"], 12, .stale(usableOnError: true)),
    ]

    /// RFC 9111, 4: each response of the chain is a stored response of its own URL.
    @Test(arguments: redirects) func theLeastFreshOfAChainCounts(
        _ redirect: HTTPFields, _ after: Double, _ verdict: StoredVerdict
    ) {
        var stored = Self.stored(["Cache-Control": "max-age=60"])
        stored.redirects = [StoredHead(status: 302, headers: redirect, times: stored.head.times)]
        let request = DownloadRequest(url: URL(filePath: "/"))
        #expect(Freshness(request: request, stored: stored, now: Self.at(after)).verdict == verdict)
        #expect(
            Storability.allows(
                DownloadResponse(url: request.url, status: 200), to: request, after: stored.redirects)
                == !redirect.values("cache-control").contains("no-store"))
    }

    /// RFC 9111, 3.2 and 4.3.4.
    @Test func a304RenewsTheFieldsThatItRepeats() {
        let old = Self.stored([
            "ETag": "\"1\"", "Cache-Control": "max-age=1", "Age": "50", "Content-Type": "image/png", "Vary": "Accept",
        ])
        let url = URL(filePath: "/")
        let headers: HTTPFields = ["ETag": "\"1\"", "Cache-Control": "max-age=9", "Content-Type": "text/html"]
        let renewed = old.renewed(
            by: DownloadResponse(url: url, status: 304, headers: headers),
            after: Self.chain(
                asking: ["Accept": "x"], headers: headers, status: 304,
                ExchangeTimes(sent: Self.at(5), received: Self.at(6))), storing: .caching)
        #expect(renewed.head.status == 200 && renewed.selection.digests.keys.sorted() == ["accept"])
        #expect(renewed.isSelected(by: DownloadRequest(url: url, headers: ["Accept": "x"])))
        #expect(renewed.head.headers["cache-control"] == "max-age=9")
        #expect(renewed.head.headers["content-type"] == "image/png", "the body stays")
        #expect(renewed.head.headers["age"] == nil, "an age that is not repeated belongs to the old response")
        #expect(renewed.head.times == ExchangeTimes(sent: Self.at(5), received: Self.at(6)))
    }

    static let confirmations: [(old: HTTPFields, new: HTTPFields, isConfirmed: Bool)] = [
        (["ETag": "\"1\""], ["ETag": "\"1\""], true), (["ETag": "\"1\""], ["ETag": "\"2\""], false),
        (["ETag": "\"1\""], ["ETag": "W/\"1\""], true), (["ETag": "W/\"1\""], ["ETag": "W/\"2\""], false),
        (["ETag": "\"1\""], [:], true), ([:], ["ETag": "W/\"1\""], true),
        // A strong tag must be that of the stored response.
        ([:], ["ETag": "\"1\""], false), (["ETag": "W/\"1\""], ["ETag": "\"1\""], false),
        (["Last-Modified": zeroText], ["Last-Modified": zeroText, "ETag": "\"1\""], false),
        (["Last-Modified": zeroText], ["Last-Modified": zeroText, "ETag": "W/\"1\""], true),
        (["Last-Modified": zeroText], ["Last-Modified": "Tue, 14 Nov 2023 22:13:21 GMT"], false),
        (["Last-Modified": zeroText], ["Last-Modified": zeroText], true),
    ]

    /// RFC 9111, 4.3.4.
    @Test(arguments: confirmations) func a304ConfirmsTheResponseWithItsValidator(
        _ old: HTTPFields, _ new: HTTPFields, _ isConfirmed: Bool
    ) {
        #expect(Self.stored(old).isConfirmed(by: new) == isConfirmed)
    }

    /// RFC 9111, 4.3.1.
    @Test func validatorsMakeARequestConditional() {
        var headers: HTTPFields = [:]
        Self.stored(["ETag": "W/\"1\"", "Last-Modified": Self.zeroText]).addConditions(to: &headers)
        #expect(headers["if-none-match"] == "W/\"1\"" && headers["if-modified-since"] == Self.zeroText)
    }

    @Test(arguments: ["\"a\u{1}\"", "\"a\u{7F}\"", "\"\(String(repeating: "a", count: 2047))\""])
    func aTagThatCannotBeSentIsNotUsed(_ tag: String) {
        var headers: HTTPFields = [:]
        let stored = Self.stored(["ETag": tag])
        stored.addConditions(to: &headers)
        #expect(!stored.hasValidator && headers == [:] && StrongValidator(["ETag": tag]) == nil)
    }

    @Test func aStoredResponseIsDecoded() throws {
        var stored = Self.stored(["etag": "\"a: b\"", "cache-control": "max-age=1", "vary": "accept", "x-empty": ""])
        stored.selection.add("accept", digest: "12ab")
        stored.target = "34cd"
        stored.redirects = [
            StoredHead(
                status: 302, headers: ["cache-control": "max-age=5"],
                times: ExchangeTimes(sent: Self.at(1), received: Self.at(1.5))),
            StoredHead(status: 301, headers: [:], times: ExchangeTimes(sent: Self.at(2), received: Self.at(3))),
        ]
        #expect(StoredResponse(decoding: stored.encoded) == stored)
    }

    @Test func damagedMetadataIsRejected() {
        let encoded = Self.stored(["etag": "\"1\""]).encoded
        for count in 0..<encoded.count { #expect(StoredResponse(decoding: encoded.prefix(count)) == nil) }
        #expect(StoredResponse(decoding: Data("{\"format\":\"png\"}".utf8)) == nil)
    }

    /// An interceptor may add such a value.
    @Test(arguments: ["1\ncache-control: max-age=99", "1\r", "1\r\n"])
    func aValueWithALineBreakChangesNoLine(_ value: String) throws {
        var stored = Self.stored(["etag": "\"1\"", "x-a": value])
        stored.selection.add("accept", digest: "12ab")
        let decoded = try #require(StoredResponse(decoding: stored.encoded))
        #expect(decoded.head.headers == ["etag": "\"1\""] && decoded.selection == stored.selection)
    }

    @Test func secretsInVaryingFieldsAreNotStored() {
        let headers: HTTPFields = ["Vary": "Authorization", "Set-Cookie": "secret=1"]
        let asking: HTTPFields = ["Authorization": "Bearer secret"]
        let chain = Self.chain(
            asking: asking, headers: headers, ExchangeTimes(sent: Self.zero, received: Self.zero))
        let response = DownloadResponse(url: URL(filePath: "/"), status: 200, headers: headers)
        let (first, second) = (
            StoredResponse(response, after: chain, storing: .caching),
            StoredResponse(response, after: chain, storing: .caching)
        )
        #expect(!String(decoding: first.encoded, as: UTF8.self).contains("secret"))
        #expect(first.selection.digests != second.selection.digests, "equal secrets have different digests")
        for stored in [first, second] {
            #expect(stored.isSelected(by: DownloadRequest(url: response.url, headers: asking)))
        }
    }
}

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Friday, 01-Jan-38 00:00:00 GMT", 2_145_916_800),
            ("SUN, 06 nOv 1994 08:49:37 gmt", 784_111_777), ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sun Nov 16 08:49:37 1994", 784_975_777),
            ("Thursday, 01-Jan-70 00:00:00 GMT", 0), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ] as [(String, Double)]) func threeFormatsAreParsed(_ text: String, _ seconds: Double)
    {
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "tomorrow", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 19945 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Fri, 01-Jan-38 00:00:00 GMT", "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 29 Feb 2100 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, Sun",
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
