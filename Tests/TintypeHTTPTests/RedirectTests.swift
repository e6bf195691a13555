import Foundation
import Testing
import TintypeCore

@testable import TintypeHTTP

/// The request that follows a redirect (RFC 9110, 15.4).
@Suite struct RedirectTests {
    private func next(
        _ method: String = "GET", _ status: Int = 302, location: String = "/b", headers: HTTPFields = [:],
        keeping fields: CrossOriginFields = .standard
    ) throws -> DownloadRequest? {
        let url = try #require(URL(string: "http://example.org/a"))
        let request = DownloadRequest(url: url, method: method, headers: headers, body: Data("body".utf8))
        return try request.redirected(
            by: DownloadResponse(url: url, status: status, headers: ["Location": location]), keeping: fields)
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

    // MARK: Header fields

    /// Fields of each kind, as programs and interceptors set them.
    private static let fields: HTTPFields = [
        "Authorization": "1", "Cookie": "2", "X-Api-Key": "3", "x-amz-security-token": "4", "Referer": "5",
        "Host": "example.org", "accept-language": "de", "User-Agent": "Test", "If-None-Match": "\"6\"", "DPR": "2",
    ]

    @Test(arguments: [
        "http://example.net/b", "https://example.org/b", "http://example.org:8080/b", "//example.net/b",
        "http://www.example.org/b", "http://example.org.evil.net/b",
    ]) func onlySafeFieldsGoToAnotherOrigin(_ location: String) throws {
        let next = try #require(try next(location: location, headers: Self.fields))
        #expect(next.headers.all.map(\.name) == ["accept-language", "User-Agent", "If-None-Match", "DPR"])
    }

    @Test(arguments: ["/b", "http://example.org:80/b", "HTTP://EXAMPLE.org/b", "//example.org/b", "?c"])
    func allFieldsStayAtTheirOrigin(_ location: String) throws {
        let next = try #require(try next(location: location, headers: Self.fields))
        #expect(next.headers == Self.fields)
    }

    @Test func aProgramDeclaresFurtherSafeFields() throws {
        let fields = CrossOriginFields.standard.union(["REFERER", "Authorization", "cookie"])
        let next = try #require(
            try next(location: "http://example.net/b", headers: Self.fields, keeping: fields))
        #expect(next.headers["Referer"] == "5" && next.headers["X-Api-Key"] == nil)
        // A credential cannot be declared safe.
        #expect(next.headers["Authorization"] == nil && next.headers["Cookie"] == nil)
    }

    @Test func aRequestDeclaresFieldsBesideThoseOfTheConfiguration() {
        var configuration = DownloaderConfiguration()
        configuration.crossOriginFields = ["X-First"]
        var options = HTTPOptions()
        options.crossOriginFields = ["X-Second"]
        let settings = TransferSettings(configuration: configuration, options: options, byteLimit: 1)
        #expect(settings.crossOriginFields == .standard.union(["x-first", "x-second"]))
        #expect(options != HTTPOptions(), "requests with other fields must not share a transfer")
    }

    @Test func aRemovedBodyTakesItsDescriptionAlong() throws {
        let headers: HTTPFields = ["Content-Type": "text/plain", "content-length": "4", "Transfer-Encoding": "chunked"]
        #expect(try next("POST", 303, headers: headers)?.headers.all.isEmpty == true)
        #expect(try next("POST", 307, headers: headers)?.headers == headers)
    }
}
