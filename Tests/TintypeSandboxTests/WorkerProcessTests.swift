import Foundation
import HostileDecoders
import Logging
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSandbox

/// The process of a worker: its start, its limits and its end.
@Suite(.timeLimited) struct WorkerProcessTests {
    private static func makeWorker() throws(TintypeError) -> WorkerProcess {
        try WorkerProcess(
            nil, WorkerStart(decoders: [], readsFonts: false, landlockVersion: .max), Logger(label: "test"))
    }

    // MARK: The end

    /// Returns the state of a process as `ps` shows it; `nil` if there is no such process.
    private static func state(of process: pid_t) -> Character? {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.dropFirst().first
    }

    private static func isAlive(_ process: pid_t) -> Bool { state(of: process).map { $0 != "Z" && $0 != "X" } ?? false }

    /// Prints the identifiers of workers, and dies while all of them decode.
    private static func die(withBusyWorkers count: Int) {
        var configuration = SandboxConfiguration()
        configuration.maximumWorkers = count
        let pool = WorkerPool(configuration)
        let decoder = SandboxedDecoder(HostileDecoder(), pool)
        for _ in 0..<count {
            Thread.detachNewThread {
                _ = try? decoder.decode(HostileDecoder.bytes(.loop), context: DecodeContext())
            }
        }
        // A worker that is ready sleeps until it decodes.
        while pool.processes.filter({ state(of: $0) == "R" }).count < count { usleep(1000) }
        print(pool.processes.map { "\($0)" }.joined(separator: " "))
        fflush(nil)
        kill(getpid(), SIGKILL)
    }

    /// The host checks for cancellation a hundred times a second.
    @Test(arguments: ["/bin/true", "/bin/cat"]) func theEndOfAnExecutableThatIsNoWorkerIsNoticedAtOnce(_ path: String) {
        let checks = Locked(0)
        expectError(.noWorker) {
            _ = try WorkerProcess(
                path, WorkerStart(decoders: [], readsFonts: false, landlockVersion: .max), Logger(label: "test"),
                isCancelled: {
                    checks.withLock {
                        $0 += 1; return $0 > 1_000
                    }
                })
        }
    }

    @Test func busyWorkersEndTogetherWithTheirHost() async throws {
        let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            Self.die(withBusyWorkers: 3)
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let workers = output.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
        #expect(workers.count == 3, "\(output)")
        let start = ContinuousClock.now
        while workers.contains(where: Self.isAlive), ContinuousClock.now - start < .seconds(10) { usleep(10_000) }
        let survivors = workers.filter(Self.isAlive)
        #expect(survivors.isEmpty)
        for survivor in survivors { kill(survivor, SIGKILL) }
    }

    /// A signal for the group of the host, such as that of Ctrl-C in a terminal, is not for its workers.
    @Test func aWorkerIsInAGroupOfItsOwn() throws {
        let worker = try Self.makeWorker()
        #expect(getpgid(worker.identifier) == worker.identifier)
        worker.end()
    }

    // MARK: Descriptors

    private static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static func setDescriptorLimit(_ soft: rlim_t) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = soft
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Starts workers with too few descriptors and with just enough of them.
    private static func runOutOfDescriptors() throws {
        try makeWorker().end()
        let count = descriptorCount
        let free = dup(0)
        close(free)
        var (startCount, failureCount) = (0, 0)
        // The process may have inherited descriptors in between from that of the tests.
        for spare in 0..<200 where startCount < 6 {
            setDescriptorLimit(rlim_t(max(Int(free), 10) + spare))
            do throws(TintypeError) {
                try makeWorker().end()
                startCount += 1
            } catch {
                #expect(error.code == .noWorker)
                failureCount += 1
            }
        }
        setDescriptorLimit(256)
        #expect(startCount == 6 && failureCount > 2, "\(startCount) started, \(failureCount) failed")
        #expect(descriptorCount == count)
        #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }

    @Test func aWorkerThatCannotBeStartedLeavesNothing() async {
        await #expect(processExitsWith: .success) { try Self.runOutOfDescriptors() }
    }

    // MARK: Limits

    @Test func lowerLimitsOfTheHostStay() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 200, rlim_max: 200)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let worker = try Self.makeWorker()
            let limits = try String(contentsOfFile: "/proc/\(worker.identifier)/limits", encoding: .utf8)
            let files = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
            #expect(files?.split(separator: " ").dropFirst(3).prefix(2) == ["200", "200"], "\(limits)")
            worker.end()
        }
    }

    // MARK: Standard error

    @Test(.needsRestrictions) func whatAWorkerPrintsIsLoggedUpToALimit() throws {
        let lines = LogLines()
        var configuration = SandboxConfiguration()
        configuration.logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        let decoder = SandboxedDecoder(HostileDecoder(), WorkerPool(configuration))
        for _ in 0..<2 { _ = try decoder.decode(HostileDecoder.bytes(.print), context: DecodeContext()) }
        let printed = lines.all.withLock { $0 }.filter { $0.contains("hostile") }
        // Two pipes full of lines of 40 bytes.
        #expect(printed.count > 2 && printed.count <= 2 * (64 << 10) / 40 + 2)
        #expect(printed.first?.contains(#"hostile \u{1B}[31mAAA"#) == true)
    }
}

private final class LogLines: Sendable {
    let all = Locked<[String]>([])
}

private struct LineHandler: LogHandler {
    let lines: LogLines
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.all.withLock { $0.append("\(event.message)") }
    }
}
