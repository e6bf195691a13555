import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Concurrent operations in random order, mainly for the thread sanitizer: see `make tsan`.
@Suite(.timeLimited) struct HTTPStressTests {
    private static let operations =
        ProcessInfo.processInfo.environment["TINTYPE_STRESS"].flatMap { Int($0) } ?? 10_000
    private static let workers = 16
    private static let paths = 64

    private static func body(_ path: Int) -> Data { Data(repeating: UInt8(path), count: 2000 + path) }

    @Test func loadsJoinsCancelsAndPrioritiesInAnyOrder() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 12
        configuration.connectionsPerHost = 8
        let downloader = Downloader(configuration)
        var random = SeededRandom.printed("HTTPStress")
        try await Fixture.withOrigin { origin in
            for path in 0..<Self.paths {
                origin.serve("/\(path)", response: .image(Self.body(path), type: "image/png"))
            }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.workers {
                    let seed = random.next()
                    group.addTask {
                        await Worker(downloader, origin, seed).run(Self.operations / Self.workers)
                    }
                }
            }
            while downloader.currentDownloadCount > 0 || downloader.runningDownloadCount > 0 { await Task.yield() }
        }
    }

    /// Loads, joins, changes priorities and cancels at random.
    private struct Worker {
        private struct Running {
            let path: Int
            let download: Download
            var isCancelled = false
        }

        private let downloader: Downloader
        private let origin: Origin
        private var random: SeededRandom
        private var running: [Running] = []

        init(_ downloader: Downloader, _ origin: Origin, _ seed: UInt64) {
            self.downloader = downloader
            self.origin = origin
            random = SeededRandom(seed: seed)
        }

        consuming func run(_ count: Int) async {
            var worker = self
            for _ in 0..<count { await worker.step() }
            while !worker.running.isEmpty { await worker.finishOne() }
        }

        private mutating func step() async {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: start(Int.random(in: 0..<HTTPStressTests.paths, using: &random))
            case 4: if let joined = running.randomElement(using: &random) { start(joined.path) }
            case 5..<7: changePriority()
            case 7: cancelOne()
            case 8: await loadAndPerhapsCancel()
            default: await finishOne()
            }
            if running.count > 30 { await finishOne() }
        }

        private mutating func start(_ path: Int) {
            let priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
            let source = ImageSource.url(origin.url("/\(path)"))
            running.append(Running(path: path, download: downloader.download(source, priority: priority)))
        }

        private mutating func changePriority() {
            guard let index = running.indices.randomElement(using: &random) else { return }
            running[index].download.priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
        }

        private mutating func cancelOne() {
            guard let index = running.indices.randomElement(using: &random) else { return }
            running[index].isCancelled = true
            running[index].download.cancel()
        }

        private mutating func finishOne() async {
            guard let index = running.indices.randomElement(using: &random) else { return }
            let removed = running.remove(at: index)
            do throws(TintypeError) {
                let data = try await removed.download.bytes.data
                #expect(data == HTTPStressTests.body(removed.path))
            } catch {
                #expect(error.code == .cancelled && removed.isCancelled, "\(error)")
            }
        }

        /// Loads like a pipeline.
        private mutating func loadAndPerhapsCancel() async {
            let path = Int.random(in: 0..<HTTPStressTests.paths, using: &random)
            let source = ImageSource.url(origin.url("/\(path)"))
            let task = Task { [downloader] in try await Fixture.load(source, downloader) }
            let isCancelled = Bool.random(using: &random)
            if isCancelled { task.cancel() }
            do {
                let data = try await task.value.data
                #expect(data == HTTPStressTests.body(path))
            } catch {
                #expect((error as? TintypeError)?.code == .cancelled && isCancelled, "\(error)")
            }
        }
    }
}
