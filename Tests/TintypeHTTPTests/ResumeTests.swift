import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Transfers that continue where the attempt before broke off.
@Suite(.timeLimited) struct ResumeTests: InterruptedTransfers {
    private func retrying() -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.retry = RetryPolicy(maximumAttempts: 3)
        configuration.clock = Fixture.clock(Shared([]))
        return configuration
    }

    @Test func theNextAttemptRequestsTheRest() async throws {
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut])
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 20_000)
            #expect(loaded.metrics?.wireBytes == 30_000)
            let request = try #require(origin.requests.last)
            #expect(request[header: "range"] == "bytes=20000-" && request[header: "if-range"] == "\"1\"")
        }
    }

    @Test func aChangedImageIsLoadedAgain() async throws {
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut], tag: "\"2\"")
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 0)
        }
    }

    @Test func anUnsatisfiableRangeIsRequestedAsAWhole() async throws {
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut, .status(416).with(header: "Content-Range", value: "bytes */20000")])
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            #expect(origin.requestCount() == 3 && origin.requests.last?[header: "range"] == nil)
        }
    }

    @Test func aWrongRangeIsNotAppended() async throws {
        let wrong = OriginResponse.testImage.setting(\.status, to: 206).with(header: "ETag", value: "\"1\"")
            .with(header: "Content-Range", value: "bytes 0-49999/50000")
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut, wrong])
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    /// A proxy may end a chunked body in order when its own connection breaks.
    @Test func aRangeThatEndsEarlyIsNotTheRest() async throws {
        let short = OriginResponse.image(Data(Fixture.body[20_000..<30_000]), type: "image/png")
            .setting(\.status, to: 206).setting(\.framing, to: .chunked(size: 1000))
            .with(header: "ETag", value: "\"1\"").with(header: "Content-Range", value: "bytes 20000-49999/50000")
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut, short])
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 30_000)
        }
    }

    /// The number of bytes before the range and that of the range overflow when they are added.
    @Test(arguments: ["9223372036854775807/*", "9223372036854775806/9223372036854775807"])
    func aRangeUpToTheLargestNumberDoesNotEndTheProcess(_ end: String) async throws {
        let last = try #require(Int(end.prefix { $0 != "/" }))
        try await Fixture.withOrigin(retrying()) { origin, load in
            origin.serve("/a") { [unowned origin] request in
                let isFirst = origin.requestCount() == 0
                guard let range = request[header: "range"], let start = Int(range.dropFirst(6).dropLast()) else {
                    return isFirst ? Self.cut.setting(\.framing, to: .chunked(size: 1000)) : .testImage
                }
                return .testImage.setting(\.status, to: 206).with(header: "ETag", value: "\"1\"")
                    .with(header: "Content-Range", value: "bytes \(start)-\(end)")
                    .setting(\.framing, to: .declared(last - start + 1))
            }
            if end.hasSuffix("*") {
                let data = try await load("/a").data
                #expect(data == Fixture.body && origin.requestCount() == 3)
            } else {
                await Fixture.expect(.limitExceeded) { try await load("/a") }
            }
        }
    }

    @Test func aWeakEntityTagIsNotResumed() async throws {
        let weak = OriginResponse.testImage.with(header: "ETag", value: "W/\"1\"").setting(
            \.ending, to: .cut(after: 20_000))
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [weak])
            _ = try await load("/a")
            #expect(origin.requests.allSatisfy { $0[header: "range"] == nil })
        }
    }

    @Test func anUnrequestedPartialResponseIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve(
                "/a",
                response: .testImage.setting(\.status, to: 206).with(
                    header: "Content-Range", value: "bytes 0-49999/90000"))
            await Fixture.expect(.badStatus) { try await load("/a") }
        }
    }
}
