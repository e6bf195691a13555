import Foundation
import TestSupport
import Testing
import TintypeCore

@testable import TintypeServer

@Suite struct SourceReferenceTests {
    /// The segments of a source, the URL that they name, and the extension.
    static let sources: [(String, String, String?)] = [
        ("plain/http://images.dev/lorem/ipsum.jpg@png", "http://images.dev/lorem/ipsum.jpg", "png"),
        ("plain/http://images.dev/lorem/ipsum.jpg", "http://images.dev/lorem/ipsum.jpg", nil),
        ("plain/http://images.dev/lorem/ipsum.jpg@", "http://images.dev/lorem/ipsum.jpg", nil),
        (
            "plain/http:%2F%2Fimages.dev%2Florem%2Fipsum.jpg%3Fparam=value@png",
            "http://images.dev/lorem/ipsum.jpg?param=value", "png"
        ),
        ("plain/http://a/b%2540c%40d@jpg", "http://a/b%40c@d", "jpg"),
        ("plain/lorem/ipsum.jpg", "lorem/ipsum.jpg", nil),
        ("plain/http://a/%C3%A9", "http://a/é", nil), ("plain/plain", "plain", nil),
        (
            "aHR0cDovL2ltYWdlcy5kZXYvbG9yZW0vaXBzdW0uanBnP3BhcmFtPXZhbHVl.png",
            "http://images.dev/lorem/ipsum.jpg?param=value", "png"
        ),
        (
            "aHR0cDovL2ltYWdlcy5kZXYvbG9yZW0vaXBzdW0uanBnP3BhcmFtPXZhbHVl",
            "http://images.dev/lorem/ipsum.jpg?param=value", nil
        ),
        (
            "aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png", "http://example.com/images/curiosity.jpg",
            "png"
        ),
        ("aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn", "http://example.com/images/curiosity.jpg", nil),
        ("aHR0cDovL2EvYg==.jpg", "http://a/b", "jpg"), ("aHR0cDovL2EvYg.", "http://a/b", nil),
        ("Pz8_Pj4-", "???>>>", nil),
    ]

    @Test func aSourceIsDecodedOnce() throws {
        for (segments, url, fileExtension) in Self.sources {
            let reference = try SourceReference(segments: segments.parts(separatedBy: "/"))
            #expect(reference.url == url && reference.fileExtension == fileExtension, "\(segments)")
        }
    }

    @Test func aDecorativeFileNameIsIgnoredByASetting() throws {
        let segments = ["aHR0cDovL2Ev", "Yg.png", "puppy.jpg"]
        let reference = try SourceReference(segments: segments, hasFileName: true)
        #expect(reference.url == "http://a/b" && reference.fileExtension == "png")
        #expect(throws: ImageURLError.self) { try SourceReference(segments: segments) }
        #expect(try SourceReference(segments: ["aHR0cDovL2EvYg"], hasFileName: true).url == "http://a/b")
        #expect(try SourceReference(segments: ["plain", "http:", "", "a", "b"], hasFileName: true).url == "http://a/b")
    }

    @Test(arguments: [
        "plain/http://a/b@png@jpg", "plain/@png", "plain/", "plain/http://a/%", "plain/http://a/%2",
        "plain/http://a/%GG",
        "plain/http://a/%0d%0aX: y", "plain/http://a/%00", "plain/http://a/%7f", "plain/http://a/%ff", "plain", "",
        ".png",
        "aHR0.cDov.jpg", "aHR0+", "aHR0/=/aHR0", "a", "enc/aHR0cDovL2EvYg", "_w", "http://a/b",
    ]) func aSourceThatCannotBeDecodedIsRefused(_ segments: String) {
        do {
            let reference = try SourceReference(segments: segments.parts(separatedBy: "/"))
            Issue.record("\(reference)")
        } catch {
            #expect(error.kind == .path && error.status == 400)
        }
    }

    @Test func noSegmentIsNoSource() {
        #expect(throws: ImageURLError.self) { try SourceReference(segments: [String]()) }
    }

    @Test func everyLengthSurvivesBase64() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}

@Suite struct SourceRulesTests {
    @Test func replacementsAreAppliedOneAfterTheOther() {
        // imgproxy's TestParseBase64URLWithReplacement.
        let rules = SourceRules(replacements: [
            URLReplacement(pattern: "test://*/", replacement: "test2://images.dev/${1}/dolor/"),
            URLReplacement(pattern: "test2://", replacement: "http://"),
        ])
        #expect(
            rules.resolved("test://lorem/ipsum.jpg?param=value")
                == "http://images.dev/lorem/dolor/ipsum.jpg?param=value")
    }

    /// The first two are the examples of imgproxy's documentation (`docs/configuration/options.mdx`).
    @Test(arguments: [
        ("mys3://=s3://my_bucket/images/", "mys3://image01.jpg", "s3://my_bucket/images/image01.jpg"),
        (
            "mys3://*/=s3://my_bucket/${1}/images/", "mys3://items/image01.jpg",
            "s3://my_bucket/items/images/image01.jpg"
        ),
        ("a*b*c=${2}-${1}-${3}-${x}-${", "aXbYcZ", "Y-X--${x}-${Z"), ("a*b=<${1}>", "aXbYbZ", "<XbY>Z"),
        ("a*=b", "a/c", "b/c"), ("a*c=b", "a/c", "a/c"), ("x=y", "ax", "ax"), ("a=b=c", "a", "b=c"),
        ("*=${1}${1}", "ab/c", "abab/c"),
    ]) func aReplacementFollowsItsPattern(_ rule: String, _ url: String, _ result: String) throws {
        #expect(try #require(URLReplacement(rule: rule)).replaced(url) == result)
    }

    @Test func aRuleWithoutPatternIsNone() {
        #expect(URLReplacement(rule: "abc") == nil)
        #expect(URLReplacement(rule: "=abc") == nil)
    }

    @Test func theBaseURLIsWrittenBeforeURLsWithoutIt() {
        let rules = SourceRules(
            replacements: [URLReplacement(pattern: "x/", replacement: "y/")], baseURL: "http://images.dev/")
        #expect(rules.resolved("lorem/ipsum.jpg") == "http://images.dev/lorem/ipsum.jpg")
        #expect(rules.resolved("http://images.dev/a") == "http://images.dev/a")
        #expect(rules.resolved("x/a") == "http://images.dev/y/a")
    }

    @Test(.timeLimited) func aPatternWithManyWildcardsTakesNoExponentialTime() {
        let pattern = WildcardPattern(String(repeating: "*a", count: 30) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 4_000)))
        #expect(WildcardPattern("*a*a*").matches("xaya") && !WildcardPattern("*a*a*").matches("xa/ya"))
    }
}

@Suite struct SourceURLTests {
    /// A URL, and how it is written anew.
    static let urls: [(String, String)] = [
        ("http://a.com/b", "http://a.com/b"), ("HTTP://A.Com:80/B", "http://a.com:80/B"), ("http://a", "http://a"),
        ("http://a?b=c", "http://a?b=c"), ("http://a/b c", "http://a/b%20c"), ("http://a/é", "http://a/%C3%A9"),
        ("http://a/b%20c%2Fd", "http://a/b%20c%2Fd"), ("http://a/100%", "http://a/100%25"),
        ("http://a/%zz", "http://a/%25zz"),
        ("http://a/b#c", "http://a/b"), ("http://a#c", "http://a"), ("http://a/b?c?d=e f", "http://a/b?c?d=e%20f"),
        ("http://u:p@a.com/b", "http://u:p@a.com/b"), ("http://[::1]:8080/b", "http://[::1]:8080/b"),
        ("http://[FE80::1]/", "http://[fe80::1]/"),
        ("s3://bucket/key?version", "s3://bucket/key?version"), ("local:///a/b.jpg", "local:///a/b.jpg"),
        ("http://a/\\b", "http://a/%5Cb"), ("http://a/[b]", "http://a/%5Bb%5D"), ("http://a.com./", "http://a.com./"),
        ("http://a/b|c\"<>^`{}", "http://a/b%7Cc%22%3C%3E%5E%60%7B%7D"), ("http://a/@b", "http://a/@b"),
    ]

    @Test func aURLIsWrittenAnewFromItsParts() throws {
        for (text, result) in Self.urls {
            let source = try SourceURL(text)
            #expect(source.text == result)
            #expect(source.url?.absoluteString == result)
            #expect(try SourceURL(source.text) == source)
        }
    }

    @Test(arguments: [
        "", "a/b", "/a", "//a/b", "http:/a", "http:a", "://a", "1http://a", "ht tp://a", "http://", "http:///a",
        "http://:80/", "http://a:/",
        "http://a:0/", "http://a:65536/", "http://a:8x/", "http://a:-1/", "http://a:٨٠/", "http://a b/",
        "http://a\\@b/", "http://a\\b/",
        "http://a%2eb/", "http://é.com/", "http://a@b@c d/", "http://u\\@a/", "http://[::1/", "http://[::1]x/",
        "http://[::1]:x/", "http://[g]/", "http://a,b/",
        "http://a;b/", "http://a\u{2024}b/",
    ]) func aURLThatCouldBeReadInTwoWaysIsRefused(_ text: String) {
        do {
            let source = try SourceURL(text)
            Issue.record("\(source)")
        } catch {
            #expect(error.kind == .source && error.status == 403)
        }
    }
}

@Suite struct SourceAllowListTests {
    /// Rules, a source, and whether it is allowed.
    static let rows: [([String], String, Bool)] = [
        (["http://example.com/"], "http://example.com/a.jpg", true),
        (["http://example.com"], "http://example.com/a.jpg", true),
        (["http://example.com"], "http://example.com", true),
        (["http://example.com"], "http://example.com@evil.org/a", false),
        (["http://example.com"], "http://example.com.evil.org/a", false),
        (["http://example.com"], "http://EXAMPLE.com/a", true),
        (["http://example.com"], "https://example.com/a", false),
        (["http://example.com"], "http://example.com:80/a", true),
        (["http://example.com"], "http://example.com:8080/a", false),
        (["http://example.com:8080"], "http://example.com:8080/a", true),
        (["http://example.com:8080"], "http://example.com/a", false),
        (["http://example.com:*"], "http://example.com:1/a", true),
        (["http://example.com"], "http://user:pw@example.com/a", true),
        (["http://example.com"], "http://sub.example.com/a", false),
        (["https://*.example.com/"], "https://a.example.com/x", true),
        (["https://*.example.com/"], "https://a.b.example.com/x", true),
        (["https://*.example.com/"], "https://example.com/x", false),
        (["https://*.example.com/"], "https://.example.com/x", false),
        (["https://*.example.com/"], "https://badexample.com/x", false),
        (["https://*.example.com/"], "https://a.example.com.evil.org/x", false),
        (["https://*.example.com/"], "https://evil.org/x.example.com/", false),
        (["https://*.example.com/"], "https://evil.org?x.example.com/", false),
        (["https://"], "https://anything.org:444/a", true), (["https://*/"], "https://anything.org/a", true),
        (["https://*/"], "https://anything.org:444/a", false), (["https://"], "http://anything.org/a", false),
        (["s3://"], "s3://bucket/key", true), (["s3://bucket"], "s3://bucket/key", true),
        (["s3://bucket"], "s3://bucket2/key", false),
        (["local://"], "local:///a", true), (["local:///images/"], "local:///images/a", true),
        (["local:///images/"], "local:///images2/a", false),
        (["local:///images/"], "local:///images/../etc/passwd", false),
        (["local:///images"], "local:///images/%2e%2E/etc", false),
        (["http://a/images"], "http://a/images", true), (["http://a/images"], "http://a/images/b/c", true),
        (["http://a/images"], "http://a/images2", false),
        (["http://a/images"], "http://a/image", false), (["http://a/images/"], "http://a/", false),
        (["http://a/images"], "http://a//images", false),
        (["http://a/images"], "http://a/images%2f..%2fx", false),
        (["http://a/images"], "http://a/images/..%5cx", false),
        (["http://a/images"], "http://a/images?x=/../", true), (["http://a/images"], "http://a/Images/", false),
        (["http://a/images"], "http://a/images/./b", false),
        (["http://a/*/public"], "http://a/x/public/b", true), (["http://a/*/public"], "http://a/x/y/public/b", false),
        (["http://a/img-*/"], "http://a/img-1/b", true),
        (["http://a/img-*/"], "http://a/image/b", false), (["http://b", "http://a"], "http://a/c", true),
        ([], "http://a/c", false),
        (["http://[::1]:8080/"], "http://[::1]:8080/a", true), (["http://[::1]/"], "http://[::2]/a", false),
        (["http://127.0.0.1"], "http://127.0.0.1/a", true),
    ]

    @Test func aSourceIsComparedPartByPart() throws {
        for (rules, text, isAllowed) in Self.rows {
            let source = try SourceURL(text)
            #expect(try SourceAllowList(rules).allows(source) == isAllowed, "\(rules) \(text)")
            #expect(SourceAllowList.everything.allows(source))
        }
    }

    @Test(arguments: [
        "", "example.com", "://a", "http://a*b/", "http://*.*.com", "http://a:x/", "http://a:0/", "http://u@a/",
        "http://[::1",
    ])
    func aMalformedRuleIsRefused(_ rule: String) {
        #expect(throws: ImageURLError.self) { try SourceAllowList([rule]) }
    }
}
