import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct ForwardedFieldsTests {
    private static let asking: HTTPFields = [
        "Accept": "a", "Connection": "x-hop, keep-alive", "X-Hop": "h", "Cookie": "c", "Authorization": "s",
        "Host": "h", "X-Forwarded-For": "claimed", "Forwarded": "for=claimed", "Via": "1.0 front", "Range": "bytes=0-1",
        "Transfer-Encoding": "chunked", "User-Agent": "u",
    ]

    private func names(_ fields: HTTPFields) -> [String] { fields.all.map { $0.name.lowercased() }.sorted() }

    @Test func onlyFieldsWithoutSecretsAreForwarded() {
        let fields = ForwardedFields(isReverseProxy: false, userAgent: "own").request(Self.asking, client: "192.0.2.1")
        #expect(names(fields) == ["accept", "range", "user-agent", "via"])
        #expect(fields["user-agent"] == "own" && fields["via"] == "1.1 tintype")
    }

    @Test func aReverseProxyForwardsAllFieldsButThoseOfTheConnection() {
        let proxy = ForwardedFields(isReverseProxy: true, userAgent: "own")
        let fields = proxy.request(Self.asking, client: "192.0.2.1")
        #expect(
            names(fields) == ["accept", "authorization", "cookie", "range", "user-agent", "via", "x-forwarded-for"])
        #expect(fields["user-agent"] == "u" && fields["via"] == "1.0 front, 1.1 tintype")
        #expect(fields["x-forwarded-for"] == "192.0.2.1")
        #expect(!proxy.request(Self.asking).contains("x-forwarded-for"))
    }

    @Test func theCredentialOfThisServerIsItsOwn() {
        let proxy = ForwardedFields(isReverseProxy: true, userAgent: "own", ownsAuthorization: true)
        #expect(!proxy.request(Self.asking).contains("authorization"))
    }

    @Test func whatConcernsTheSiteOfTheOriginStaysThere() {
        let fields: HTTPFields = ["Set-Cookie": "a", "ETag": "e", "Strict-Transport-Security": "s", "X-Other": "o"]
        #expect(names(ForwardedFields(isReverseProxy: false, userAgent: "").response(fields)) == ["etag", "x-other"])
        #expect(ForwardedFields(isReverseProxy: true, userAgent: "").response(fields) == fields)
    }
}
