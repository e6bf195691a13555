import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// The memory that the bytes of interrupted transfers take.
@Suite(.timeLimited) struct PartialMemoryTests: InterruptedTransfers {
    /// A body of 12 MB: more than fits into memory.
    private static let large = Data(
        (0..<12 << 20).map { (number: Int) in UInt8(truncatingIfNeeded: number &* 31 &+ number >> 8) })

    private static func cutLarge(after count: Int) -> OriginResponse {
        .image(large, type: "image/png").with(header: "ETag", value: "\"1\"").setting(\.ending, to: .cut(after: count))
    }

    @Test(arguments: [(["ETag": "\"1\""], true), (["ETag": "W/\"1\""], false), ([:], false)])
    func theBytesAreCollectedOnlyWithAValidator(_ fields: [String: String], _ hasValidator: Bool) throws {
        let request = DownloadRequest(url: try #require(URL(string: "http://a/")))
        let resumption = Resumption(of: request, in: nil)
        var headers = HTTPFields()
        for (name, value) in fields { headers[name] = value }
        resumption.beginBody(
            of: DownloadResponse(url: request.url, status: 200, headers: headers), to: request, after: nil, byteCount: 9
        )
        var calls = 0
        resumption.recordInterruption {
            calls += 1
            return Data([1])
        }
        #expect(calls == (hasValidator ? 1 : 0))
        #expect(resumption.partial(for: request)?.data == (hasValidator ? Data([1]) : nil))
    }

    @Test func theBytesThatWaitForTheDiskAreBounded() throws {
        var writes = PendingWrites()
        let first = writes.begin(byteCount: 40 << 20)
        let tooLarge = writes.begin(byteCount: 24 << 20 | 1)
        let second = writes.begin(byteCount: 24 << 20)
        let empty = writes.begin(byteCount: 0)
        #expect(first != nil && tooLarge == nil && second != nil && empty != nil && writes.promises.count == 3)
        let ended = writes.end(try #require(first))
        let again = writes.end(try #require(first))
        let tooLargeAgain = writes.begin(byteCount: 40 << 20 | 1)
        let next = writes.begin(byteCount: 40 << 20)
        #expect(ended != nil && again == nil && tooLargeAgain == nil && next != nil)
        let huge = writes.begin(byteCount: .max)
        #expect(huge == nil)
    }

    @Test func theFileOfAnInterruptedBodyIsFinishedInPlace() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let silent = OriginResponse.image(Self.large, type: "image/png").with(header: "ETag", value: "\"1\"")
                origin.serve("/a", response: silent.setting(\.ending, to: .silence(after: 2_500_000)))
                let downloader = Downloader(configuration(folder, budget: 32 << 20))
                let download = await downloader.download(.url(origin.url("/a")), untilReceived: 2_500_000)
                await wait { !files(folder).isEmpty }
                let file = folder.appending(path: try #require(files(folder).first))
                let before = try identity(of: file)
                download.cancel()
                await wait { (try? PartialFile.decode(Data(contentsOf: file)))?.data.count == 2_500_000 }
                #expect(try identity(of: file) == before)
                #expect(try PartialFile.decode(Data(contentsOf: file))?.data == Self.large.prefix(2_500_000))
            }
        }
    }

    private func identity(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path())[.systemFileNumber] as? Int
    }

    /// The bytes that were not in the file yet are requested again.
    @Test func theNextAttemptContinuesALargeBody() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.retry = RetryPolicy(maximumAttempts: 3)
        configuration.clock = Fixture.clock(Shared([]))
        try await Fixture.withOrigin { origin in
            serve(origin, first: [Self.cutLarge(after: 11_000_000)], body: Self.large)
            let loaded = try await Fixture.load(.url(origin.url("/a")), Downloader(configuration), limit: 16 << 20)
            #expect(loaded.data == Self.large)
            #expect((8 << 20...11_000_000).contains(loaded.metrics?.resumedBytes ?? 0))
        }
    }

    @Test func anotherDownloaderContinuesALargeBody() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                serve(
                    origin, first: [Self.cutLarge(after: 11_000_000), Self.cutLarge(after: 11_000_000)],
                    body: Self.large)
                let source = ImageSource.url(origin.url("/a"))
                // The second one gets the whole body instead of the rest, and breaks off as well.
                for _ in 0..<2 {
                    let downloader = Downloader(configuration(folder, budget: 32 << 20))
                    await Fixture.expect(.truncatedBody) {
                        try await Fixture.load(source, downloader, limit: 16 << 20)
                    }
                    try await downloader.flush()
                }
                let loaded = try await Fixture.load(
                    source, Downloader(configuration(folder, budget: 32 << 20)), limit: 16 << 20)
                #expect(loaded.data == Self.large && files(folder).isEmpty)
                #expect((8 << 20...11_000_000).contains(loaded.metrics?.resumedBytes ?? 0))
            }
        }
    }
}
