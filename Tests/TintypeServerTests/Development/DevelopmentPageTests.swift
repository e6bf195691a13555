import Foundation
import Testing
import TintypeHTTP
import TintypeTesting

@testable import TintypeServer

@Suite struct DevelopmentPageTests {
    private let page = DevelopmentPage(isSigned: true, pathPrefix: "/a\"<&", presets: ["small", "\"><script>"])

    private func text(_ path: Substring) throws -> String {
        String(decoding: try #require(page.response(to: path)?.body), as: UTF8.self)
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/development.css", "text/css; charset=utf-8"),
        ("/development.js", "text/javascript; charset=utf-8"), ("/development.svg", "image/svg+xml"),
    ])
    func thePageHasAStrictPolicy(_ path: String, _ contentType: String) throws {
        let response = try #require(page.response(to: path[...]))
        #expect(response.status == 200 && response.fields["content-type"] == contentType)
        let policy = try #require(response.fields["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe") && !policy.contains("http"))
        #expect(
            response.fields["x-content-type-options"] == "nosniff" && response.fields["cache-control"] == "no-store")
    }

    @Test func nothingComesFromElsewhere() throws {
        for path in ["/", "/development.css", "/development.js"] as [Substring] {
            let text = try text(path).replacing("https://example.org/image.jpg", with: "")
            #expect(!text.contains("://") && !text.contains("url(") && !text.contains("@import"))
            #expect(!text.contains("innerHTML") && !text.contains("eval("))
        }
        let html = try text("/")
        #expect(!html.contains(" style=") && !html.contains(" onclick="))
    }

    @Test func settingsAreEscaped() throws {
        let html = try text("/")
        #expect(html.contains(#"<body data-signed="true" data-prefix="/a&quot;&lt;&amp;">"#))
        #expect(html.contains(#"<option value="preset:&quot;>&lt;script>"><option value="preset:small">"#))
        #expect(!html.contains("{"))
    }

    @Test func onlyDevelopmentHasThePage() throws {
        var settings = ServerSettings()
        #expect(DevelopmentPage(settings) == nil)
        settings.observing.isDevelopment = true
        settings.output.presets = ["thumb=rs:fill:10:10"]
        let page = try #require(DevelopmentPage(settings))
        let html = String(decoding: try #require(page.response(to: "/")?.body), as: UTF8.self)
        #expect(html.contains(#"<option value="preset:thumb">"#) && html.contains(#"data-signed="false""#))
        #expect(page.response(to: "/favicon.ico") == nil && page.response(to: "//") == nil)
    }

    @Test func onlyReadingMethodsGetIt() {
        let health = Health(
            Health.Inputs(
                load: AdmissionControl(AdmissionLimits(workers: 1, decodedBytes: 1)).status,
                isStarted: true, requestTimeout: .seconds(1)))
        let routes = ServerRoutes(page: page) { health }
        func status(_ method: String, _ target: String) -> Int? {
            routes.response(to: ServerRequest(method: method, target: target, id: "test"))?.status
        }
        #expect(status("GET", "/") == 200 && status("HEAD", "/?x") == 200 && status("POST", "/") == nil)
        #expect(ServerRoutes { health }.response(to: ServerRequest(method: "GET", target: "/", id: "test")) == nil)
    }

    @Test func developmentTellsHowAnImageWasMade() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let made = try #require(await fixture.get("w:40", "/a.png").fields["server-timing"])
            #expect(made.hasPrefix(#"from;desc="made", download;dur="#) && made.contains(", decode;dur="))
            #expect(await fixture.get("w:40", "/a.png").fields["server-timing"] == #"from;desc="memory""#)
        }
        try await ServiceFixture.run({ $0.isDevelopment = false }) { fixture in
            try fixture.servePicture("/a.png")
            #expect(await fixture.get("w:40", "/a.png").fields["server-timing"] == nil)
        }
    }
}
