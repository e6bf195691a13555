import Foundation
import Tintype
import TintypeTesting

/// Rounds of loads of all URLs, in random order, some of them cancelled.
struct FaultRun {
    /// The number of loads at once.
    private static let width = 64
    /// The number of seconds without a result after which the process ends (alarm(2)): a load hangs.
    private static let patience: UInt32 = 120

    let count: Int
    private let seed: UInt64
    private let folder: URL

    /// - Throws: An error if no temporary directory can be created.
    init(count: Int, seed: UInt64) throws {
        self.count = count
        self.seed = seed
        folder = FileManager.default.temporaryDirectory.appending(path: "faults-\(UUID().uuidString)")
        let temporary = folder.appending(path: "tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        // Where bodies that are too large for memory go.
        setenv("TMPDIR", temporary.path(percentEncoded: false), 1)
    }

    /// Runs rounds until a time has passed, at least one, and looks for what they left behind.
    ///
    /// - Throws: An error if the origin cannot be started.
    func repeatRounds(for time: Duration) async throws -> FaultTally {
        defer { try? FileManager.default.removeItem(at: folder) }
        let origin = try FaultOriginProcess(seed: seed, count: count)
        defer { origin.stop() }
        let before = ProcessStatus.descriptorCount
        var tally = FaultTally()
        var random = SeededRandom(seed: seed)
        let end = ContinuousClock.now + time
        var round = 0
        repeat {
            try await load(from: origin.url, freshness: round % 2 == 0 ? .cached : .reload, &tally, &random)
            round += 1
            print("round \(round): \(ProcessStatus.peakMemory >> 20) MB at most, \(tally.problems.count) problems")
            fflush(nil)
        } while ContinuousClock.now < end && tally.problems.count < 40
        for problem in await Leftovers(folder: folder, descriptorsBefore: before).problems() {
            tally.add(problem: problem)
        }
        return tally
    }

    private var configuration: PipelineConfiguration {
        var downloader = DownloaderConfiguration()
        downloader.maximumConcurrentDownloads = 48
        downloader.connectionsPerHost = 48
        downloader.idleTimeout = .seconds(1)
        downloader.maximumByteCount = 10 << 20
        var configuration = PipelineConfiguration.standard(
            downloader: downloader, memory: MemoryCache(limits: CacheLimits(cost: 16 << 20)),
            disk: DiskCache(directory: folder.appending(path: "cache"), limits: DiskLimits(byteCount: 32 << 20)))
        configuration.decodeLimits.time = .seconds(10)
        return configuration
    }

    /// Loads every URL once, with a pipeline of its own, which is gone when this returns.
    private func load(
        from origin: URL, freshness: LoadPolicy.Freshness, _ tally: inout FaultTally, _ random: inout SeededRandom
    ) async throws {
        let pipeline = ImagePipeline(configuration)
        var waiting = (0..<count).shuffled(using: &random)[...]
        let seed = seed
        await withTaskGroup(of: (FaultCase, Result<Image, TintypeError>, Bool).self) { group in
            func loadNext() {
                guard let number = waiting.popFirst() else { return }
                let isCancelled = Int.random(in: 0..<20, using: &random) == 0
                group.addTask {
                    let loaded = FaultCase(number: number, seed: seed)
                    let request = ImageRequest(url: origin.appending(path: loaded.path)).freshness(freshness)
                        .failureMemory(.ignored)
                    let task = pipeline.start(request)
                    if isCancelled { task.cancel() }
                    return (loaded, await Self.result(of: task), isCancelled)
                }
            }
            alarm(Self.patience)
            for _ in 0..<Self.width { loadNext() }
            for await (loaded, result, isCancelled) in group {
                alarm(Self.patience)
                tally.add(result, of: loaded, mayBeCancelled: isCancelled)
                loadNext()
            }
        }
        if let problem = await Self.problemAtEnd(of: pipeline) { tally.add(problem: problem) }
    }

    private static func result(of task: ImageTask) async -> Result<Image, TintypeError> {
        do throws(TintypeError) {
            return .success(try await task.response.image)
        } catch {
            return .failure(error)
        }
    }

    private static func problemAtEnd(of pipeline: ImagePipeline) async -> String? {
        do { try await pipeline.flush() } catch { return "flush: \(error)" }
        // Cancelled work ends a little later than its callers.
        for _ in 0..<200 where !pipeline.activity.isIdle || pipeline.isRunning {
            try? await Task.sleep(for: .milliseconds(50))
        }
        return pipeline.activity.isIdle && !pipeline.isRunning ? nil : "still at work: \(pipeline.activity)"
    }
}
