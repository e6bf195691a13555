import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore

@testable import TintypeHTTP

/// Which hosts are contacted.
@Suite(.timeLimited) struct HostNameTests {
    @Test(arguments: [
        ("http://example.org/", true), ("http://EXAMPLE.org./", true), ("http://a_b-c.example/", true),
        ("http://127.0.0.1/", true), ("http://[::1]/", true), ("http://[fe80::1%25eth0]/", true),
        ("http://ex%C3%A4mple.org/", true), ("http://2130706433/", true),
        ("http://a%0d%0ax/", false), ("http://a%00b/", false), ("http://a%20b/", false), ("http://a%7Fb/", false),
        ("http://a%2Fb/", false), ("http://a%3A80/", false), ("http://user%40a/", false), ("http://a%5Cb/", false),
        ("http://a%25b/", false), ("http://%5B%3A%3A1%5D/", true), ("http://a%3Fb/", false),
    ]) func onlyNamesAndAddressesAreRequested(_ text: String, _ isValid: Bool) throws {
        let url = try #require(URL(string: text))
        #expect(((try? DownloadRequest(url: url).validate()) != nil) == isValid)
    }

    @Test(arguments: [(65_536, true), (65_537, false)])
    func aURLOfMoreThan64KilobytesIsRefused(_ length: Int, _ isValid: Bool) throws {
        let beginning = "http://a/"
        let url = try #require(URL(string: beginning + String(repeating: "x", count: length - beginning.count)))
        #expect(((try? DownloadRequest(url: url).validate()) != nil) == isValid)
    }

    /// A SOCKS request has one byte for the length of the host.
    @Test(arguments: [(253, true), (254, false), (256, false)])
    func aHostOfMoreThan253BytesIsRefused(_ length: Int, _ isValid: Bool) throws {
        let url = try #require(URL(string: "http://\(String(repeating: "a", count: length))/"))
        #expect(((try? DownloadRequest(url: url).validate()) != nil) == isValid)
    }

    /// The system would resolve the part before the zero, and the rest would become a field of the request.
    @Test func aHostWithALineBreakIsRefused() async throws {
        let url = try #require(URL(string: "http://127.0.0.1%00%0D%0AX-Secret%3A%201/"))
        await Fixture.expect(.invalidSource) { try await Fixture.load(.url(url), Downloader.patient) }
    }
}
