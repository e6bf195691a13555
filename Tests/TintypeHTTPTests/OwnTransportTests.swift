import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Tests downloads over a transport that a program brings.
@Suite(.timeLimited) struct OwnTransportTests {
    private func withDownloader(
        _ body: (Origin, @escaping Fixture.Load) async throws -> Void,
        adjust: (inout DownloaderConfiguration) -> Void = { _ in }
    ) async throws {
        let transport = URLSessionTransport()
        var configuration = DownloaderConfiguration()
        configuration.transport = transport
        adjust(&configuration)
        try await Fixture.withOrigin(configuration) { origin, load in try await body(origin, load) }
        transport.invalidate()
    }

    @Test func bodiesRedirectsAndStatusesArrive() async throws {
        try await withDownloader { origin, load in
            origin.serve("/a", response: .image(Fixture.body, type: "image/png"))
            origin.serve("/b", response: .redirect(to: "/a"))
            let (direct, redirected) = (try await load("/a"), try await load("/b"))
            #expect(direct.data == Fixture.body && redirected.data == Fixture.body)
            #expect(origin.requestCount("/a") == 2 && origin.requestCount("/b") == 1)
            await Fixture.expect(.badStatus) { try await load("/missing") }
        }
    }

    @Test func aBrokenTransferIsAnError() async throws {
        try await withDownloader { origin, load in
            let response = OriginResponse.image(Fixture.body, type: "image/png").setting(\.ending, to: .cut(after: 900))
            origin.serve("/a", response: response)
            await Fixture.expect(.truncatedBody) { try await load("/a") }
        }
    }

    @Test func aGuardRefusesATransportThatChecksNoAddresses() async throws {
        try await withDownloader { origin, load in
            origin.serve("/a", response: .image(Fixture.body, type: "image/png"))
            await Fixture.expect(.refusedRequest) { try await load("/a") }
            #expect(origin.requestCount("/a") == 0)
        } adjust: {
            $0.serverGuard = ServerGuard(ports: nil, addresses: [.global, .loopback])
        }
    }
}
