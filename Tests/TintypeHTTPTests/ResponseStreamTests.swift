import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

extension ResponseStream {
    /// Sends a request without limits on its time.
    convenience init(to request: TransportRequest) {
        self.init(
            to: request, over: CurlTransport.shared, .system,
            at: TransferPace(totalTime: nil, from: .zero, rate: nil), under: TransferWatch(.system), limitedBy: nil)
    }
}

/// Responses whose reader is slower than their origin.
@Suite(.timeLimited) struct ResponseStreamTests {
    private static let body = Data((0..<9 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    private func stream(from url: URL) -> ResponseStream { ResponseStream(to: TransportRequest(url: url)) }

    /// Receives a response, unread, until the origin has to wait.
    private func withFullStream(_ body: (ResponseStream) async throws -> Void) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .image(Self.body, type: "image/png"))
            let stream = stream(from: origin.url("/a"))
            _ = try await stream.head()
            while !stream.response.state.withLock({ $0.isFull }) { await Task.yield() }
            try await body(stream)
        }
    }

    @Test func aBodyGoesOnWhenItsReaderComes() async throws {
        try await withFullStream { stream in
            var read = Data()
            while case let part = try await stream.part(), !part.isEmpty { read += part }
            #expect(read == Self.body)
        }
    }

    @Test func aBodyThatWaitsCanBeCancelled() async throws {
        try await withFullStream { stream in
            stream.cancel()
            await expectError(.cancelled) { try await stream.part() }
        }
    }

    @Test func aReaderThatIsCancelledDoesNotWait() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .silence(after: 1000)))
            let stream = stream(from: origin.url("/a"))
            _ = try await stream.head()
            let reader = Task { while try await !stream.part().isEmpty {} }
            reader.cancel()
            await expectError(.cancelled) { try await reader.value }
        }
    }
}
