import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Responses that are longer than they say, from a real server.
@Suite(.timeLimited) struct SurplusTests {
    private static let small = Data((0..<100).map { UInt8($0) })

    /// One connection, so that a request waits for the response before it.
    private static var configuration: DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.connectionsPerHost = 1
        return configuration
    }

    private static func response(_ surplus: Data) -> OriginResponse {
        OriginResponse.image(small + surplus, type: "image/png").setting(\.framing, to: .declared(small.count))
            .setting(\.ending, to: .silence(after: small.count + surplus.count))
    }

    private static let second = Data(
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nwrong".utf8)

    @Test(arguments: [second, second.prefix(30), Data("rest".utf8), Data(count: 100_000)])
    func whatFollowsAResponseIsNotTheNextOne(_ surplus: Data) async throws {
        for identity in [nil, try TestCertificate.make()] {
            var configuration = Self.configuration
            configuration.trustedCertificates = identity.map { [$0.certificates] } ?? []
            try await Fixture.withOrigin(configuration, identity: identity) { origin, load in
                let gate = OriginGate()
                origin.serve("/long", response: Self.response(surplus).setting(\.gate, to: gate))
                origin.serve("/innocent", response: .testImage)
                let long = Task { try await load("/long").data }
                await origin.waitForRequests(1)
                let innocent = ["/innocent", "/innocent?other"].map { path in Task { try await load(path).data } }
                gate.open()
                let short = try await long.value
                #expect(short == Self.small)
                for innocent in innocent {
                    let data = try await innocent.value
                    #expect(data == Fixture.body)
                }
            }
        }
    }

    /// The rest of a response that arrives after the next request.
    @Test func aRestInsteadOfAResponseMakesARequestBeSentAgain() async throws {
        try await Fixture.withOrigin(Self.configuration) { origin, load in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            origin.serve("/b", sequence: [OriginResponse().setting(\.statusLine, to: "rest of a body"), .testImage])
            let first = Task { try await load("/a").data }
            await origin.waitForRequests(1)
            // Before the first response ends. On a busy machine, the connection might be closed as idle otherwise.
            let second = Task { try await load("/b").data }
            gate.open()
            let bodies = (try await first.value, try await second.value)
            #expect(bodies == (Fixture.body, Fixture.body))
            #expect(origin.requestCount("/b") == 2)
        }
    }

    @Test func aServerThatDoesNotSpeakHTTPIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: OriginResponse().setting(\.statusLine, to: "no HTTP"))
            await Fixture.expect(.transport) { try await load("/a") }
            #expect(origin.requestCount("/a") == 1)
        }
    }
}
