import Foundation
import Testing
import TintypeCore

@testable import TintypeHTTP

/// The request that follows a redirect (RFC 9110, 15.4).
@Suite struct RedirectTests {
    private func next(_ method: String, _ status: Int, location: String = "/b") throws -> DownloadRequest? {
        let url = try #require(URL(string: "http://example.org/a"))
        let request = DownloadRequest(url: url, method: method, body: Data("body".utf8))
        return try request.redirected(by: DownloadResponse(url: url, status: status, headers: ["Location": location]))
    }

    @Test(
        arguments: [
            ("POST", 301, "GET"), ("POST", 302, "GET"), ("PUT", 301, "PUT"), ("HEAD", 302, "HEAD"),
            ("POST", 303, "GET"), ("PUT", 303, "GET"), ("HEAD", 303, "HEAD"), ("POST", 307, "POST"),
            ("POST", 308, "POST"),
        ]) func theStatusDecidesAboutTheMethod(_ method: String, _ status: Int, _ expected: String) throws
    {
        let next = try #require(try next(method, status))
        #expect(next.method == expected && next.url.path() == "/b")
        // The body is sent again only with the same method.
        #expect((next.body != nil) == (method == expected))
    }

    @Test(arguments: [200, 300, 304, 305, 404]) func anyOtherStatusIsNoRedirect(_ status: Int) throws {
        #expect(try next("GET", status) == nil)
    }

    @Test func aCredentialInTheLocationIsIgnored() throws {
        let next = try #require(try next("GET", 302, location: "http://user:secret@example.org/b"))
        #expect(next.url.absoluteString == "http://example.org/b")
        #expect(next.headers["Authorization"] == nil)
    }
}
