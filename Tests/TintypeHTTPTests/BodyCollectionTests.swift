import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Interceptors that read a whole body.
@Suite(.timeLimited) struct BodyCollectionTests {
    /// More than fits into memory before a body is moved to a file, and not a multiple of the moved pieces.
    private static let large = Data((0..<(19 << 20) + 12_345).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) })

    /// Collects each body a number of times.
    private struct Collector: HTTPInterceptor {
        let id = "collector"
        let collected = Shared<[Data]>([])
        var count = 1
        var replacesBody = false

        func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
            var response = try await next(request)
            for _ in 0..<count {
                let data = try await response.body.collect()
                collected.withLock { $0.append(data) }
                if replacesBody { response.body = DownloadBody(data) }
            }
            return response
        }
    }

    private func collect(
        _ body: Data, _ framing: OriginResponse.Framing, _ collector: Collector
    ) async throws -> LoadedBytes {
        var options = HTTPOptions()
        options.interceptors = [collector]
        return try await Fixture.withOrigin(limit: 64 << 20, options: options) { origin, load in
            origin.serve("/a", response: .image(body, type: "image/png").setting(\.framing, to: framing))
            return try await load("/a")
        }
    }

    @Test(arguments: [OriginResponse.Framing.contentLength, .chunked(size: 1 << 16)])
    func aBodyThatWasMovedToAFileIsCollectedWhole(_ framing: OriginResponse.Framing) async throws {
        let collector = Collector(replacesBody: true)
        let loaded = try await collect(Self.large, framing, collector)
        #expect(collector.collected.now == [Self.large] && loaded.data == Self.large)
    }

    @Test func aDecryptorGetsTheWholeBody() async throws {
        let counts = Shared<[Int]>([])
        let decryptor = DownloadModifier.decryptor(id: "reverse") { data, _ in
            counts.withLock { $0.append(data.count) }
            return Data(data.reversed())
        }
        var options = HTTPOptions()
        options.interceptors = [decryptor]
        try await Fixture.withOrigin(limit: 64 << 20, options: options) { origin, load in
            origin.serve("/a", response: .image(Data(Self.large.reversed()), type: "image/png"))
            let data = try await load("/a").data
            #expect(counts.now == [Self.large.count] && data == Self.large)
        }
    }

    /// An interceptor that only looks at the body leaves it to the transfer.
    @Test(arguments: [OriginResponse.Framing.contentLength, .chunked(size: 500)])
    func aBodyCanBeCollectedMoreThanOnce(_ framing: OriginResponse.Framing) async throws {
        let collector = Collector(count: 2)
        let loaded = try await collect(Fixture.body, framing, collector)
        #expect(collector.collected.now == [Fixture.body, Fixture.body] && loaded.data == Fixture.body)
    }

    @Test(arguments: [OriginResponse.Framing.contentLength, .chunked(size: 1 << 16)])
    func tasksCanCollectABodyAtTheSameTime(_ framing: OriginResponse.Framing) async throws {
        let interceptor = BodyHandler { body in
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<8 { group.addTask { try await body.collect() } }
                for try await data in group { #expect(data == Self.large) }
            }
        }
        var options = HTTPOptions()
        options.interceptors = [interceptor]
        try await Fixture.withOrigin(limit: 64 << 20, options: options) { origin, load in
            origin.serve("/a", response: .image(Self.large, type: "image/png").setting(\.framing, to: framing))
            let data = try await load("/a").data
            #expect(data == Self.large)
        }
    }

    @Test func aCancelledCallLeavesTheBodyToOthers() async throws {
        let gate = OriginGate(after: 100)
        let interceptor = BodyHandler { body in
            // Immediate tasks, so that both wait for the body when the first one is cancelled.
            let tasks = (0..<2).map { _ in Task.immediate { try await body.collect() } }
            tasks[0].cancel()
            await expectError(.cancelled) { try await tasks[0].value }
            gate.open()
            let data = try await tasks[1].value
            #expect(data == Fixture.body)
        }
        var options = HTTPOptions()
        options.interceptors = [interceptor]
        try await Fixture.withOrigin(options: options) { origin, load in
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    /// Otherwise, an interceptor that sends another request would leave a response behind.
    @Test func theLastCancelledCallEndsTheResponse() async throws {
        try await Fixture.withOrigin { origin in
            let interceptor = BodyHandler { body in
                let tasks = (0..<2).map { _ in Task.immediate { try await body.collect() } }
                for task in tasks { task.cancel() }
                await origin.waitForClosedEarly(1)
            }
            var options = HTTPOptions()
            options.interceptors = [interceptor]
            let gate = OriginGate(after: 100)
            // A closed gate keeps what waits at it.
            defer { gate.open() }
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            // No caller has cancelled the transfer.
            await Fixture.expect(.transport) {
                try await Fixture.load(.url(origin.url("/a")), Downloader.patient, options: options)
            }
        }
    }

    /// An interceptor that ignores the error must not get the rest of the body accepted as the whole.
    @Test func theErrorOfACollectionEndsTheTransfer() async throws {
        let codes = Shared<[TintypeError.Code?]>([])
        let interceptor = BodyHandler { body in
            for _ in 0..<2 {
                do {
                    _ = try await body.collect()
                } catch {
                    codes.withLock { $0.append((error as? TintypeError)?.code) }
                }
            }
        }
        var options = HTTPOptions()
        options.interceptors = [interceptor]
        try await Fixture.withOrigin(limit: 30_000, options: options) { origin, load in
            origin.serve("/a", response: .testImage.setting(\.framing, to: .chunked(size: 500)))
            await Fixture.expect(.limitExceeded) { try await load("/a") }
        }
        #expect(codes.now == [.limitExceeded, .limitExceeded])
    }

    @Test func aBodyThatTheTransferHasReceivedCannotBeCollected() async throws {
        let body = Shared<DownloadBody?>(nil)
        let interceptor = BodyHandler { received in body.withLock { $0 = received } }
        var options = HTTPOptions()
        options.interceptors = [interceptor]
        try await Fixture.withOrigin(options: options) { origin, load in
            origin.serve("/a", response: .testImage)
            _ = try await load("/a")
        }
        let late = try #require(body.now)
        do {
            _ = try await late.collect()
            Issue.record("the body was collected")
        } catch {
            #expect((error as? TintypeError)?.code == .refusedResponse)
        }
    }

    @Test func aCollectedBodyStaysWithinTheLimit() async throws {
        let interceptor = DownloadModifier.decryptor(id: "double") { data, _ in data + data }
        var options = HTTPOptions()
        options.interceptors = [interceptor]
        try await Fixture.withOrigin(limit: Fixture.body.count, options: options) { origin, load in
            origin.serve("/a", response: .testImage)
            await Fixture.expect(.limitExceeded) { try await load("/a") }
        }
    }
}

/// Passes each body to a closure before it returns the response.
private struct BodyHandler: HTTPInterceptor {
    let id = "body handler"
    let handle: @Sendable (DownloadBody) async throws -> Void

    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        let response = try await next(request)
        try await handle(response.body)
        return response
    }
}
