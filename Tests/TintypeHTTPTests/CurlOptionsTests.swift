import Foundation
import HTTPTestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Which requests a handle of libcurl can send without having all its options set again.
@Suite struct CurlOptionsTests {
    private static func request(_ url: String) throws -> TransportRequest {
        var request = TransportRequest(url: try #require(URL(string: url)), headers: ["Accept": "image/*", "X-A": "b"])
        request.readSize = 4096
        return request
    }

    @Test func aRequestThatDiffersInItsURLFits() throws {
        let request = try Self.request("http://a.example/a")
        #expect(CurlOptions(request).fit(try Self.request("http://b.example:8080/b?c")))
    }

    private static let changes: [@Sendable (inout TransportRequest) -> Void] = [
        { $0.url = URL(filePath: "/a") }, { $0.method = "HEAD" }, { $0.body = Data() },
        { $0.headers["X-A"] = "c" }, { $0.headers["X-B"] = "b" }, { $0.headers["X-A"] = nil },
        { $0.connectTimeout = .seconds(1) }, { $0.proxy = ProxyServer(host: "p.example", port: 80) },
        { $0.security.checksCertificate = false }, { $0.security.trustedCertificates = [""] },
        { $0.security.clientCertificate = ClientCertificate(certificates: "", key: "") }, { $0.allowsHTTP2 = false },
        { $0.usesNewConnection = true }, { $0.readSize = nil },
    ]

    @Test func noOtherRequestFits() throws {
        let request = try Self.request("https://a.example/a")
        for (number, change) in Self.changes.enumerated() {
            var changed = request
            change(&changed)
            #expect(!CurlOptions(request).fit(changed) && !CurlOptions(changed).fit(request), "change \(number)")
        }
    }

    /// A handle is used for one request after another.
    @Test func aRequestHasNothingOfTheOneBefore() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let downloader = Downloader.patient
            let sources = [("GET", ["X-A": "b"]), ("GET", [:]), ("HEAD", ["X-A": "c"]), ("POST", [:]), ("GET", [:])]
            for (method, headers) in sources {
                let source = HTTPSource(url: origin.url("/a"), method: method, headers: headers)
                _ = try? await Fixture.load(.http(source), downloader)
            }
            #expect(origin.requests.map(\.method) == sources.map(\.0))
            #expect(origin.requests.map { $0[header: "x-a"] } == sources.map { $0.1["X-A"] })
        }
    }
}
