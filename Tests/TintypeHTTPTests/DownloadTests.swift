import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@Suite(.timeLimited) struct DownloadTests {
    @Test func equalRequestsShareATransfer() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let downloads = (0..<10).map { _ in downloader.download(.url(origin.url("/a"))) }
            #expect(downloader.currentDownloadCount == 1)
            gate.open()
            for download in downloads {
                let data = try await download.bytes.data
                #expect(data == Fixture.body)
            }
            #expect(origin.requestCount() == 1 && downloader.currentDownloadCount == 0)
        }
    }

    @Test func aPipelineLoadSharesTheTransfer() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let source = ImageSource.url(origin.url("/a"))
            let download = downloader.download(source)
            async let loaded = Fixture.load(source, downloader, limit: 64 << 20)
            await origin.waitForRequests(1)
            gate.open()
            let data = try await loaded.data
            let shared = try await download.bytes.data
            #expect(data == shared)
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func differentRequestsDoNotShareATransfer() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let url = origin.url("/a")
            var cookies = HTTPOptions()
            cookies.usesCookies = true
            var modified = HTTPOptions()
            modified.interceptors = [DownloadModifier.headers(["A": "1"])]
            var otherwise = HTTPOptions()
            otherwise.interceptors = [DownloadModifier.headers(["A": "2"])]
            let sources: [(ImageSource, HTTPOptions)] = [
                (.url(url), HTTPOptions()), (.url(url), cookies), (.url(url), modified), (.url(url), otherwise),
                (.http(HTTPSource(url: url, method: "POST")), HTTPOptions()),
                (.http(HTTPSource(url: url, headers: ["B": "1"])), HTTPOptions()),
            ]
            let downloads = (sources + sources).map { downloader.download($0.0, options: $0.1) }
            #expect(downloader.currentDownloadCount == sources.count)
            gate.open()
            for download in downloads { _ = try await download.bytes }
            #expect(origin.requestCount() == sources.count)
        }
    }

    @Test func aDownloadThatJoinsLateGetsTheBytesSoFar() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate(after: 20_000)
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let first = await downloader.download(.url(origin.url("/a")), untilReceived: 20_000)
            let reported = Shared<[LoadProgress]>([])
            let late = downloader.download(.url(origin.url("/a"))) { progress in
                reported.withLock { $0.append(progress) }
            }
            #expect(reported.now == [LoadProgress(received: 20_000, expected: 50_000)])
            #expect(late.receivedBytes == Fixture.body.prefix(20_000))
            gate.open()
            let data = try await late.bytes.data
            #expect(data == Fixture.body)
        }
    }

    @Test func cancellingTheLastDownloadStopsTheTransfer() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .silence(after: 1000)))
            let downloader = Downloader.patient
            let complete = Shared<Set<Int>>([])
            let downloads = (0..<3).map { number in
                downloader.download(.url(origin.url("/a"))) { progress in
                    if progress.received == 1000 { complete.withLock { _ = $0.insert(number) } }
                }
            }
            await complete.wait { $0.count == 3 }
            for download in downloads {
                #expect(origin.closedEarly == 0 && downloader.currentDownloadCount == 1)
                download.cancel()
                await Fixture.expect(.cancelled) { try await download.bytes }
            }
            await origin.waitForClosedEarly(1)
            #expect(downloader.currentDownloadCount == 0)
        }
    }

    /// The new request does not join the transfer that was cancelled a moment before.
    @Test func aRequestAfterACancellationIsATransferOfItsOwn() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let first = downloader.download(.url(origin.url("/a")))
            await origin.waitForRequests(1)
            first.cancel()
            let second = downloader.download(.url(origin.url("/a")))
            await origin.waitForRequests(2)
            gate.open()
            let data = try await second.bytes.data
            #expect(data == Fixture.body && origin.requestCount() == 2)
            await Fixture.expect(.cancelled) { try await first.bytes }
        }
    }

    @Test func tenThousandDownloadsAreOneRequestAndTheLastOneIsServed() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let downloads = (0..<10_000).map { _ in downloader.download(.url(origin.url("/a"))) }
            for download in downloads.dropLast() { download.cancel() }
            gate.open()
            let last = try #require(downloads.last)
            let data = try await last.bytes.data
            #expect(data == Fixture.body)
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func waitingTransfersStartByPriority() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/first", response: .testImage.setting(\.gate, to: gate))
            for path in ["/low", "/raised", "/high"] { origin.serve(path, response: .testImage) }
            let downloader = Downloader(configuration)
            let first = downloader.download(.url(origin.url("/first")))
            await origin.waitForRequests(1)
            let low = downloader.download(.url(origin.url("/low")), priority: .low)
            let raised = downloader.download(.url(origin.url("/raised")), priority: .veryLow)
            let high = downloader.download(.url(origin.url("/high")), priority: .high)
            raised.priority = .veryHigh
            gate.open()
            for download in [first, low, raised, high] { _ = try await download.bytes }
            #expect(origin.requests.map(\.path) == ["/first", "/raised", "/high", "/low"])
        }
    }

    @Test func waitingTransfersMayStartLastInFirstOut() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        configuration.order = .lastInFirstOut
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            for number in 0..<4 { origin.serve("/\(number)", response: .testImage.setting(\.gate, to: gate)) }
            let downloader = Downloader(configuration)
            let first = downloader.download(.url(origin.url("/0")))
            await origin.waitForRequests(1)
            let others = (1..<4).map { downloader.download(.url(origin.url("/\($0)"))) }
            gate.open()
            for download in [first] + others { _ = try await download.bytes }
            #expect(origin.requests.map(\.path) == ["/0", "/3", "/2", "/1"])
        }
    }

    @Test func aTransferFreesItsSlotBeforeItsImageIsDecoded() async throws {
        try await Fixture.withOrigin { origin in
            let body = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 1000)
            for path in ["/a", "/b"] { origin.serve(path, response: .image(body, type: "image/png")) }
            let decoder = GatedDecoder(isOpen: false)
            var oneSlot = DownloaderConfiguration.patient
            oneSlot.maximumConcurrentDownloads = 1
            var configuration = PipelineConfiguration()
            configuration.coders = ImageCoderRegistry(decoders: [decoder])
            configuration.loaders = [Downloader(oneSlot)]
            configuration.cache = ImageCache(memory: nil)
            let pipeline = ImagePipeline(configuration)
            let tasks = ["/a", "/b"].map { pipeline.start(ImageRequest(url: origin.url($0))) }
            // Neither image has been decoded yet.
            await origin.waitForRequests(2)
            decoder.open()
            for task in tasks {
                let response = try await task.response
                #expect(response.origin == .network)
            }
        }
    }

    @Test func theLimitCanBeRaisedWhileTransfersWait() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            for number in 0..<3 { origin.serve("/\(number)", response: .testImage.setting(\.gate, to: gate)) }
            let downloader = Downloader(configuration)
            let downloads = (0..<3).map { downloader.download(.url(origin.url("/\($0)"))) }
            await origin.waitForRequests(1)
            #expect(downloader.runningDownloadCount == 1)
            downloader.configuration.maximumConcurrentDownloads = 3
            await origin.waitForRequests(3)
            gate.open()
            for download in downloads { _ = try await download.bytes }
        }
    }

    @Test func aHostGetsNoMoreThanItsLimit() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.connectionsPerHost = 1
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            for number in 0..<3 { origin.serve("/\(number)", response: .testImage.setting(\.gate, to: gate)) }
            origin.serve("/other", response: .testImage)
            let downloader = Downloader(configuration)
            let downloads = (0..<3).map { downloader.download(.url(origin.url("/\($0)"))) }
            await origin.waitForRequests(1)
            let other = try #require(
                URL(string: origin.url("/other").absoluteString.replacing("127.0.0.1", with: "localhost")))
            _ = try await downloader.download(.url(other)).bytes
            #expect(origin.requestCount() == 2)
            gate.open()
            for download in downloads { _ = try await download.bytes }
        }
    }

    @Test func aSuspendedDownloaderStartsNothingUntilItIsResumed() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            origin.serve("/other", response: .testImage)
            let downloader = Downloader.patient
            downloader.isSuspended = true
            let download = downloader.download(.url(origin.url("/a")))
            // The suspended transfer has at least the time of a whole other one.
            _ = try await Fixture.load(.url(origin.url("/other")), Downloader.patient)
            #expect(origin.requests.map(\.path) == ["/other"] && downloader.currentDownloadCount == 1)
            downloader.isSuspended = false
            let data = try await download.bytes.data
            #expect(data == Fixture.body)
        }
    }

    @Test func cancelAllEndsEveryTransferAndAllowsNewOnes() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/never", response: .testImage.setting(\.ending, to: .never))
            origin.serve("/a", response: .testImage)
            let downloader = Downloader.patient
            let downloads = (0..<3).map { _ in downloader.download(.url(origin.url("/never"))) }
            await origin.waitForRequests(1)
            downloader.cancelAll()
            for download in downloads { await Fixture.expect(.cancelled) { try await download.bytes } }
            await origin.waitForClosedEarly(1)
            let data = try await downloader.download(.url(origin.url("/a"))).bytes.data
            #expect(data == Fixture.body)
        }
    }

    @Test(arguments: [true, false]) func anInvalidatedDownloaderRefusesRequests(_ cancelling: Bool) async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: .testImage.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let running = downloader.download(.url(origin.url("/a")))
            await origin.waitForRequests(1)
            downloader.invalidate(cancellingAll: cancelling)
            await Fixture.expect(.invalidated) { try await downloader.download(.url(origin.url("/a"))).bytes }
            await Fixture.expect(.invalidated) { try await Fixture.load(.url(origin.url("/a")), downloader) }
            gate.open()
            if cancelling {
                await Fixture.expect(.cancelled) { try await running.bytes }
            } else {
                let data = try await running.bytes.data
                #expect(data == Fixture.body)
            }
        }
    }

    @Test func progressIsReportedAtMostOncePerInterval() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.minimumProgressInterval = 0.5
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.bandwidth, to: 500_000))
            let reported = Shared<[Double]>([])
            let download = Downloader(configuration).download(.url(origin.url("/a"))) { progress in
                reported.withLock { $0.append(progress.fraction ?? -1) }
            }
            _ = try await download.bytes
            #expect(reported.now.count <= 3 && reported.now.first == 0 && reported.now.last == 1)
        }
    }

    @Test func aSourceThatIsNotHTTPFails() async throws {
        let url = try #require(URL(string: "ftp://example.org/"))
        await Fixture.expect(.invalidSource) { try await Downloader.patient.download(.url(url)).bytes }
    }

    @Test func aCancelledTaskCancelsItsDownload() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.ending, to: .never))
            let download = Downloader.patient.download(.url(origin.url("/a")))
            let task = Task { try await download.bytes }
            await origin.waitForRequests(1)
            task.cancel()
            await Fixture.expect(.cancelled) { try await task.value }
            await origin.waitForClosedEarly(1)
        }
    }
}
