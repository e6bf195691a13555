import Foundation
import Testing

@testable import TintypeHTTP

/// Which requests select a stored response (RFC 9111, 4.1).
@Suite struct SelectionTests {
    private static func selection(_ request: HTTPFields, vary: String) -> Selection {
        Selection(of: [Selection.SentRequest(headers: request, response: ["Vary": vary])])
    }

    static let equal: [(name: String, HTTPFields, HTTPFields)] = [
        ("Foo", ["Foo": "1, 2"], ["Foo": "1", "foo": "2"]), ("Foo", ["Foo": "1,2"], ["Foo": " 1 , 2"]),
        ("Accept-Language", ["Accept-Language": "en, de"], ["Accept-Language": "DE,  en"]),
        ("Accept-Language", ["Accept-Language": "en;q=1.0, de;q=0.50"], ["Accept-Language": "de;q=0.5,en"]),
        ("Accept", ["Accept": "image/AVIF, image/webp"], ["Accept": "image/webp,image/avif;q=1"]),
        ("Foo", [:], ["Bar": "1"]),
        // Invalid weights and elements: from a client, if a server passes its fields on.
        (
            "Accept", ["Accept": "a;q=nan, b;q=-1, c;q=inf, d;q=1e999, e;q="],
            ["Accept": "a;q=0,b;q=2,c;q=0,d;q=0,e;q=0"]
        ),
        ("Accept", ["Accept": ";, ;q=1"], ["Accept": ";,;q=1"]),
    ]

    @Test(arguments: equal) func equalMeaningsMatch(_ name: String, _ first: HTTPFields, _ second: HTTPFields) {
        let selection = Self.selection(first, vary: name)
        #expect(selection.matches(first) && selection.matches(second))
        #expect(selection.number(of: first, for: "k") == selection.number(of: second, for: "k"))
    }

    static let different: [(name: String, HTTPFields, HTTPFields)] = [
        ("Foo", ["Foo": "1"], ["Foo": "2"]), ("Foo", ["Foo": "1"], [:]), ("Foo", [:], ["Foo": ""]),
        ("Foo", ["Foo": "1, 2"], ["Foo": "2, 1"]), ("foo, BAR", ["Foo": "1", "Bar": "2"], ["Foo": "2", "Bar": "1"]),
        ("Accept-Language", ["Accept-Language": "en, de"], ["Accept-Language": "en, de;q=0.9"]),
        ("Cookie", ["Cookie": "a=1,b"], ["Cookie": "a=1, b"]), ("*", [:], [:]), ("Foo, *", ["Foo": "1"], ["Foo": "1"]),
        ("Authorization", ["Authorization": "Basic YQ=="], ["Authorization": "Basic yq=="]),
    ]

    @Test(arguments: different) func otherValuesDoNotMatch(_ name: String, _ first: HTTPFields, _ second: HTTPFields) {
        #expect(!Self.selection(first, vary: name).matches(second))
    }

    /// Entries reveal neither a secret nor whether two of them have the same one.
    @Test func equalValuesHaveDifferentDigests() {
        let selections = (0..<2).map { _ in Self.selection(["Authorization": "Bearer a"], vary: "Authorization") }
        #expect(selections[0].salt != selections[1].salt && selections[0].salt.count > 16)
        #expect(selections[0].digests["authorization"] != selections[1].digests["authorization"])
    }

    /// RFC 9110, 12.5.4.
    @Test(arguments: [
        ("fr;q=0.5, de;q=1.0", true), ("DE", true), ("de, en", false), ("en, de;q=0.5", false), ("de;q=0", false),
        ("de-CH", false), ("", false),
    ]) func aPreferredLanguageSelectsItsResponse(_ accepted: String, _ isSelected: Bool) {
        let times = ExchangeTimes(sent: Date(timeIntervalSince1970: 0), received: Date(timeIntervalSince1970: 0))
        let stored = StoredResponse(
            head: StoredHead(status: 200, headers: ["Content-Language": "de"], times: times),
            selection: Self.selection(["Accept-Language": "xx, yy"], vary: "Accept-Language"))
        let request = DownloadRequest(url: URL(filePath: "/"), headers: ["Accept-Language": accepted])
        #expect(stored.isSelected(by: request) == isSelected)
    }

    // MARK: Hostile fields

    @Test func repeatedNamesCountOnce() {
        let vary: HTTPFields = ["Vary": "A, a, b", "vary": "B,a"]
        #expect(VaryField.names(in: vary) == ["a", "b"])
        #expect(Selection(of: [Selection.SentRequest(headers: [:], response: vary)]).digests.count == 2)
    }

    @Test(arguments: [(32, false), (33, true)])
    func aResponseThatVariesByTooManyFieldsMatchesNothing(_ count: Int, _ matchesNothing: Bool) {
        let vary = HTTPFields((0..<count).map { ("Vary", "x-\($0)") })
        let selection = Selection(of: [Selection.SentRequest(headers: [:], response: vary)])
        #expect(selection.matchesNothing == matchesNothing)
        #expect(selection.digests.count == (matchesNothing ? 1 : count))
        let response = DownloadResponse(url: URL(filePath: "/"), status: 200, headers: vary)
        #expect(Storability.allows(response, to: DownloadRequest(url: response.url)) == !matchesNothing)
    }

    /// Twenty fields of 75 KB with one name, and a name of 900 KB.
    @Test(arguments: [
        HTTPFields((0..<20).map { _ in ("Vary", String(repeating: "a,", count: 37_500)) }),
        HTTPFields([("Vary", String(repeating: "a", count: 900_000))]),
    ]) func longVaryFieldsMatchNothing(_ vary: HTTPFields) {
        #expect(VaryField.names(in: vary) == ["*"])
    }

    @Test(arguments: ["a b", "a=b", "\"a\"", "a, é", "a,\u{7F}", "a:b"])
    func aNameThatIsNoTokenMatchesNothing(_ value: String) {
        #expect(VaryField.names(in: ["Vary": value]) == ["*"])
    }

    @Test func everyTokenIsAName() {
        #expect(VaryField.names(in: ["Vary": "X-1!#$%&'+-.^_`|~, , Accept"]) == ["x-1!#$%&'+-.^_`|~", "accept"])
    }

    /// A later load knows only the fields of its first request.
    @Test func aFieldOfARedirectedRequestFromElsewhereMatchesNothing() {
        let first: HTTPFields = ["Authorization": "a", "Cookie": "a=1"]
        func selection(_ redirected: HTTPFields, vary: String) -> Selection {
            Selection(of: [
                Selection.SentRequest(headers: first, response: [:]),
                Selection.SentRequest(headers: redirected, response: ["Vary": vary]),
            ])
        }
        #expect(selection([:], vary: "Authorization").matches(first), "removed before another origin")
        #expect(selection(first, vary: "Authorization").matches(first))
        #expect(!selection(["Cookie": "b=1"], vary: "Cookie").matches(first))
        #expect(selection(first, vary: "Cookie").matches(first))
        #expect(!selection([:], vary: "Cookie").matches(first), "its host may set one")
    }
}

/// Dates of cookies (RFC 6265, 5.1.1).
@Suite struct CookieDateTests {
    @Test(
        arguments: [
            ("Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894), ("Wed, 09-Jun-2021 10:18:14 GMT", 1_623_233_894),
            ("Wednesday, 9-Jun-21 10:18:14", 1_623_233_894), ("Jun 9 10:18:14 2021", 1_623_233_894),
            ("2021 9 june 10:18:14 UTC", 1_623_233_894), ("Thu, 01-Jan-70 00:00:01 GMT", 1),
        ] as [(String, Double)]) func formsInUseAreParsed(_ text: String, _ seconds: Double)
    {
        #expect(CookieDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "0", "tomorrow", "Wed, 09 Jun 2021", "Wed, 31 Jun 2021 10:18:14 GMT", "Wed, 09 Jun 1600 10:18:14 GMT",
        "Wed, 09 Jun 2021 24:00:00 GMT", "Wed, 09 Jun 2021 10:18 GMT", "09 2021 10:18:14",
    ]) func anythingElseIsRejected(_ text: String) {
        #expect(CookieDate.parse(text) == nil)
    }
}
