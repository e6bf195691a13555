import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct ClientAddressTests {
    private static let trusted = ["10.0.0.0/8", "fd00::/8", "192.0.2.7", "unix"]

    struct Case: Sendable {
        let peer: String?
        let fields: HTTPFields
        let client: String?

        init(_ peer: String?, _ fields: HTTPFields, _ client: String?) {
            (self.peer, self.fields, self.client) = (peer, fields, client)
        }
    }

    static let cases = [
        Case("203.0.113.9", [:], "203.0.113.9"),
        // Anyone can write the field.
        Case("203.0.113.9", ["X-Forwarded-For": "198.51.100.1"], "203.0.113.9"),
        Case("10.1.2.3", [:], "10.1.2.3"), Case("10.1.2.3", ["X-Forwarded-For": "198.51.100.1"], "198.51.100.1"),
        Case("::ffff:10.1.2.3", ["X-Forwarded-For": "198.51.100.1"], "198.51.100.1"),
        Case("11.1.2.3", ["X-Forwarded-For": "198.51.100.1"], "11.1.2.3"),
        Case(nil, ["X-Forwarded-For": "198.51.100.1"], "198.51.100.1"), Case(nil, [:], nil),
        // What stands before the first address that is not trusted was written by the client.
        Case("10.1.2.3", ["X-Forwarded-For": "1.1.1.1, 198.51.100.1, 10.9.9.9"], "198.51.100.1"),
        Case("192.0.2.7", ["X-Forwarded-For": "10.0.0.1 , fd00::1"], "10.0.0.1"),
        Case("192.0.2.8", ["X-Forwarded-For": "198.51.100.1"], "192.0.2.8"),
        Case("10.1.2.3", ["X-Forwarded-For": "198.51.100.1, unknown, 10.0.0.5"], "10.0.0.5"),
        Case("10.1.2.3", ["X-Forwarded-For": "\u{1B}[2J"], "10.1.2.3"),
        Case("10.1.2.3", ["X-Forwarded-For": "198.51.100.1:4711"], "198.51.100.1"),
        // RFC 7239, 4 and 6.
        Case("10.1.2.3", ["Forwarded": "for=198.51.100.1;proto=https, for=\"[2001:db8::1]:80\""], "2001:db8::1"),
        Case("10.1.2.3", ["Forwarded": "For=\"198.51.100.1:80\";by=10.0.0.1"], "198.51.100.1"),
        Case("10.1.2.3", ["Forwarded": "for=198.51.100.1, for=_hidden"], "10.1.2.3"),
        Case("10.1.2.3", ["Forwarded": "proto=http"], "10.1.2.3"),
        Case("10.1.2.3", ["Forwarded": "for=198.51.100.1", "X-Forwarded-For": "198.51.100.2"], "198.51.100.1"),
    ]

    @Test(arguments: cases) func onlyTrustedProxiesNameTheClient(_ test: Case) throws {
        let proxies = try #require(TrustedProxies(Self.trusted))
        #expect(proxies.client(peer: test.peer, test.fields) == test.client)
        #expect(TrustedProxies.none.client(peer: test.peer, test.fields) == test.peer)
    }

    @Test(arguments: ["10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "a", "", "10.0.0.0/8/1", "::/129", "10.0.0.0/-1"])
    func aWrongNetworkIsNoSetting(_ text: String) {
        #expect(TrustedProxies(["10.0.0.1", text]) == nil)
    }

    @Test(
        arguments: [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c80319c"),
            ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", "0af7651916cd43dd8448eb211c80319c"),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", nil),
            ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", nil),
            ("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", nil),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", nil),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", nil),
            ("00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", nil), ("", nil), (nil, nil), ("a\"b", nil),
        ] as [(String?, String?)])
    func aTraceHasAnIdentifier(_ text: String?, _ id: String?) { #expect(TraceParent(text)?.traceID == id) }
}
