import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// Clients that leave before they have their response.
@Suite(.timeLimited) struct ClientConnectionTests {
    /// Asks for a picture in the name of a client.
    private func ask(
        _ fixture: ServiceFixture, _ options: String, _ connection: ClientConnection
    ) async -> ServiceResponse {
        let target = "/unsigned/\(options)/plain/\(fixture.origin.url("/a.png").absoluteString)"
        var request = ServerRequest(method: "GET", target: target, id: "test")
        request.connection = connection
        return await fixture.service.respond(to: request)
    }

    @Test func workForNobodyEnds() async throws {
        try await ServiceFixture.run { fixture in
            let (gate, connection) = (OriginGate(), ClientConnection())
            try fixture.servePicture("/a.png", gate: gate)
            async let left = ask(fixture, "w:10", connection)
            await fixture.origin.waitForRequests(1)
            connection.close()
            #expect(await left.status == 499)
            gate.open()
            // The download was not waiting for the next request.
            #expect(await ask(fixture, "w:10", ClientConnection()).status == 200)
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func workForOthersGoesOn() async throws {
        try await ServiceFixture.run { fixture in
            let (gate, connection) = (OriginGate(), ClientConnection())
            try fixture.servePicture("/a.png", gate: gate)
            async let left = ask(fixture, "w:10", connection)
            await fixture.origin.waitForRequests(1)
            // Begins at once, up to its wait for the download.
            let waiting = Task.immediate { await fixture.get("w:20", "/a.png") }
            connection.close()
            // It does not wait for the work of the other one.
            #expect(await left.status == 499)
            gate.open()
            #expect(await waiting.value.status == 200)
            #expect(fixture.origin.requestCount() == 1)
        }
    }

    @Test func aClientThatLeavesIsDroppedFromTheQueue() async throws {
        try await ServiceFixture.run({ $0.admission = AdmissionLimits(workers: 1, decodedBytes: 1 << 30) }) { fixture in
            try fixture.servePicture("/a.png")
            let deadline = TimeSource.system.uptime() + .seconds(3600)
            let slot = try await fixture.service.admission.admit(bytes: 1, deadline: deadline)
            let connection = ClientConnection()
            async let left = ask(fixture, "w:10", connection)
            while fixture.service.load.waitingCount == 0 { await Task.yield() }
            connection.close()
            #expect(await left.status == 499)
            #expect(fixture.service.load.waitingCount == 0 && fixture.service.finishedCount == 0)
            slot.release()
        }
    }

    @Test func whatFollowsOnAClosedConnectionIsNotMade() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let connection = ClientConnection()
            #expect(await ask(fixture, "w:10", connection).status == 200)
            connection.close()
            #expect(await ask(fixture, "w:20", connection).status == 499)
            #expect(fixture.service.finishedCount == 1)
        }
    }
}
