import Foundation
import Testing

@testable import TintypeCore

@Suite struct SourceIdentityTests {
    private static let url = "http://h/a.jpg?x=1"

    private static func http(_ method: String = "GET", _ headers: [String: String] = [:]) throws -> String {
        let url = try #require(URL(string: url))
        return ImageSource.http(HTTPSource(url: url, method: method, headers: headers)).identity
    }

    @Test func theURLOfEverySourceIsFound() throws {
        let credential = try #require(URL(string: "http://me:secret@h/a.jpg?x=1"))
        let identities = [
            (try Self.http(), 0), (try Self.http("GET", ["a": "b"]), 1), (try Self.http("POST"), 1),
            (try Self.http("POST", ["a": "b"]), 2), (ImageSource.url(credential).identity, 1),
            (VariantName(3).identity(of: Self.url), 1),
            (VariantName(3).identity(of: try Self.http("GET", ["a": "b"])), 2),
        ]
        for (identity, count) in identities {
            let parts = SourceIdentity(identity)
            #expect(parts.url == Self.url && parts.variant.count == count, "\(identity)")
        }
    }

    /// A program chooses these; they may contain anything.
    @Test(arguments: ["bytes:a b\nc", "closure:http://h/a", "custom:x y"]) func otherIdentitiesAreOnePart(
        _ text: String
    ) {
        let identity = SourceIdentity(text)
        #expect(identity.url == text && identity.variant == [])
    }

    @Test(arguments: [("", ""), ("url bytes:a", "bytes:a"), ("file:///a\nmodified 1.2 size 3", "file:///a")])
    func unusualIdentitiesHaveAURLToo(_ text: String, _ url: String) {
        #expect(SourceIdentity(text).url == url)
    }

    @Test func aPlainRequestMatchesEveryVariant() throws {
        let (plain, one) = (SourceIdentity(Self.url), SourceIdentity(try Self.http("GET", ["a": "b"])))
        let other = SourceIdentity(try Self.http("GET", ["a": "c"]))
        #expect(plain.matches(plain) && one.matches(plain) && one.matches(one))
        #expect(!plain.matches(one) && !one.matches(other) && !one.matches(SourceIdentity("http://h/b.jpg")))
    }
}
