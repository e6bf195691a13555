import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Response heads over HTTP/1.1 that clients have crashed on, or read differently.
@Suite(.timeLimited) struct HostileHeadTests {
    @Test(arguments: ["000", "001", "099"])
    func aStatusBelow100IsAnError(_ status: String) async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .testImage.setting(\.statusLine, to: "HTTP/1.1 \(status) X"))
            let error = await Fixture.expect(.transport) { try await load("/a") }
            // libcurl 7.88 refuses it itself.
            #expect(error?.message.contains(/response code|status \d+/) == true)
        }
    }

    @Test func aStatusBelow100WithoutABodyIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: OriginResponse().setting(\.statusLine, to: "HTTP/1.1 000 X"))
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }

    @Test func aStatusBelow100InTheTargetOfARedirectIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .testImage.setting(\.statusLine, to: "HTTP/1.0 007 X"))
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }

    @Test func aChangeOfTheProtocolIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: .testImage.setting(\.preamble, to: "HTTP/1.1 101 Switching Protocols\r\n\r\n"))
            origin.serve(
                "/b",
                response: .testImage.setting(\.statusLine, to: "HTTP/1.1 101 X").with(header: "Upgrade", value: "h2c")
                    .with(header: "Connection", value: "upgrade"))
            await Fixture.expect(.transport) { try await load("/a") }
            await Fixture.expect(.transport) { try await load("/b") }
        }
    }

    @Test func informationalResponsesAreSkipped() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve(
                "/a", response: .testImage.setting(\.preamble, to: "HTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\n"))
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    @Test func tooManyInformationalResponsesAreAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            let preamble = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000)
            origin.serve("/a", response: .testImage.setting(\.preamble, to: preamble))
            await Fixture.expect(.transport) { try await load("/a") }
        }
    }

    @Test func aLargeRequestHeadWithABodyIsSent() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.interceptors = [DownloadModifier.largePost]
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .testImage)
            let data = try await load("/a").data
            #expect(data == Fixture.body && origin.requests.first?.body.count == 50_000)
        }
    }

    /// A pipeline remembers 1000 errors.
    @Test func theErrorOfALongFieldIsShort() async throws {
        try await Fixture.withOrigin { origin, load in
            let codings = String(repeating: "br,", count: 20_000)
            origin.serve("/a", response: .testImage.with(header: "Content-Encoding", value: codings))
            let error = try #require(await Fixture.expect(.undecipherable) { try await load("/a") })
            #expect(error.message.utf8.count < 2000)
        }
    }

    @Test func theErrorOfALongRedirectIsShort() async throws {
        try await Fixture.withOrigin { origin, load in
            // Three times as long when it is encoded.
            origin.serve("/a", response: .redirect(to: "/?" + String(repeating: "\u{4E00}", count: 20_000)))
            let error = await Fixture.expect(.invalidSource) { try await load("/a") }
            let subject = try #require(error?.subject)
            #expect(subject.utf8.count < 2000)
        }
    }
}

extension DownloadModifier {
    /// Makes requests with heads of nearly 64 KB, the most that nghttp2 sends.
    static let largePost = DownloadModifier.request(id: "large") { request in
        var request = request
        request.method = "POST"
        request.headers["X-Large"] = String(repeating: "x", count: 60_000)
        request.body = Data(repeating: 1, count: 50_000)
        return request
    }
}
