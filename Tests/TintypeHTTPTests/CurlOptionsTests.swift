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
        { $0.usesNewConnection = true }, { $0.readSize = nil }, { $0.allowsHTTP3 = true },
    ]

    @Test func noOtherRequestFits() throws {
        let request = try Self.request("https://a.example/a")
        for (number, change) in Self.changes.enumerated() {
            var changed = request
            change(&changed)
            #expect(!CurlOptions(request).fit(changed) && !CurlOptions(changed).fit(request), "change \(number)")
        }
    }

    @Test func theHighestVersionIsTheOneThatAllAllow() throws {
        var request = try Self.request("https://a.example/a")
        func version(_ usesHTTP2: Bool = true, _ hasHTTP3: Bool = true) -> HTTPVersion {
            request.highestVersion(usesHTTP2: usesHTTP2, hasHTTP3: hasHTTP3)
        }
        #expect(version() == .http2 && version(false) == .http1)
        request.allowsHTTP3 = true
        #expect(version() == .http3 && version(true, false) == .http2 && version(false) == .http1)
        request.proxy = ProxyServer(host: "p.example", port: 80)
        #expect(version() == .http2)
        request.proxy = nil
        request.url = try #require(URL(string: "http://a.example/a"))
        #expect(version() == .http1)
        request.url = try #require(URL(string: "https://a.example/a"))
        request.allowsHTTP2 = false
        #expect(version() == .http1)
    }

    @Test func theConfigurationAllowsHTTP3() throws {
        var configuration = DownloaderConfiguration()
        let request = DownloadRequest(url: try #require(URL(string: "https://a.example/a")))
        for allows in [false, true] {
            configuration.allowsHTTP3 = allows
            let settings = TransferSettings(configuration: configuration, options: HTTPOptions(), byteLimit: 1)
            #expect(try settings.transportRequest(for: request, origin: request.url).allowsHTTP3 == allows)
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
