import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

/// `SIGINT` and `SIGTERM` cancel the loads of a batch; images that have been loaded are finished.
@Suite(.timeLimited) struct InterruptionTests {
    @Test func theFirstSignalRunsEveryActionOnce() {
        let interruption = Interruption(signals: [])
        let calls = Locked(0)
        interruption.whenRequested { calls.withLock { $0 += 1 } }
        #expect(!interruption.isRequested)
        interruption.request()
        #expect(interruption.isRequested && calls.withLock { $0 } == 1)
        interruption.whenRequested { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 2)
    }

    @Test(arguments: 0...5) func runningItemsEndAndNoFurtherBegins(_ reports: Int) async throws {
        let interruption = Interruption(signals: [])
        let begun = Locked<[Int]>([])
        var ended: [Int] = []
        try await BatchRun.run(Array(0..<20), width: 3, until: interruption) { item -> Int? in
            begun.withLock { $0.append(item) }
            return item
        } report: { item in
            ended.append(item)
            if ended.count == reports + 1 { interruption.request() }
        }
        #expect(begun.withLock { $0.sorted() } == ended.sorted() && ended.count <= reports + 3)
    }

    @Test func interruptedItemsAreNotReported() async throws {
        var ended: [Int] = []
        try await BatchRun.run(Array(0..<20), width: 3, until: Interruption(signals: [])) { item -> Int? in
            item % 3 == 0 ? item : nil
        } report: { item in
            ended.append(item)
        }
        #expect(ended.sorted() == [0, 3, 6, 9, 12, 15, 18])
    }

    // MARK: Loads

    private func pipeline(_ gate: Gate, until interruption: Interruption) -> (InterruptiblePipeline, ImageRequest) {
        let loader = FakeLoader()
        let source = ImageSource.bytes(Data(), id: "a")
        loader.setAnswer(.gated(gate, .data(Data())), for: source.identity)
        var configuration = PipelineConfiguration()
        configuration.loaders = [loader]
        let pipeline = InterruptiblePipeline(ImagePipeline(configuration), until: interruption)
        return (pipeline, ImageRequest(source: source))
    }

    @Test func aRunningLoadIsCancelled() async {
        let (gate, interruption) = (Gate(), Interruption(signals: []))
        let (pipeline, request) = pipeline(gate, until: interruption)
        async let result = pipeline.error(of: request)
        await gate.waitForArrivals(1)
        interruption.request()
        #expect(await result?.code == .cancelled)
    }

    /// A load may have been added to the group before the signal, and begin after it.
    @Test func aLoadThatBeginsAfterTheSignalIsCancelledToo() async {
        let (gate, interruption) = (Gate(), Interruption(signals: []))
        let (pipeline, request) = pipeline(gate, until: interruption)
        interruption.request()
        #expect(await pipeline.error(of: request)?.code == .cancelled)
    }

    // MARK: Commands

    /// Runs a command that loads three images one after the other. The second one never ends: its request sends the
    /// signal. The shell writes its process number, which is then that of the command.
    private func interrupted(_ fixture: CommandFixture, _ arguments: [String]) async throws -> CommandRun {
        let pid = fixture.path("pid")
        fixture.origin.serve("/slow.png") { _ in
            while true {
                let text = (try? String(contentsOfFile: pid, encoding: .utf8)) ?? ""
                if text.hasSuffix("\n"), let number = pid_t(text.dropLast()) {
                    kill(number, SIGTERM)
                    return .status(200).setting(\.ending, to: .never)
                }
            }
        }
        let images = ["/a.jpg", "/slow.png", "/b.png"]
        let words = arguments.flatMap { $0 == "IMAGES" ? images : [$0] }.map { word in
            word.hasPrefix("/") ? fixture.url(word) : word.replacing("OUT", with: fixture.path("out"))
        }
        return try await CommandRun.shell(
            "file=$1; shift; echo $$ > \"$file\"; exec \"$0\" \"$@\"",
            [pid, words[0], "--timeout", "3600"] + words.dropFirst())
    }

    @Test(arguments: [
        (["convert", "--jobs", "1", "-o", "OUT/{stem}.png", "IMAGES"], "1 of 3 written"),
        (["convert", "/slow.png", "OUT.png"], "0 of 1 written"),
        (["info", "--jobs", "1", "IMAGES"], "1 of 3 inspected"), (["info", "/slow.png"], "0 of 1 inspected"),
        (["info", "--verify", "--jobs", "1", "IMAGES"], "1 of 3 inspected"),
        (["prefetch", "--concurrency", "1", "IMAGES"], "1 of 3 in the cache"), (["show", "IMAGES"], "1 of 3 shown"),
    ])
    func theSignalEndsTransfersAndTheSummaryIsTrue(_ arguments: [String], _ summary: String) async throws {
        try await withCommandFixture { fixture in
            let run = try await interrupted(fixture, arguments)
            #expect(run.status == 130 && run.error == "tintype: interrupted: \(summary)\n", "\(run.error)")
            let files = try FileManager.default.subpathsOfDirectory(atPath: fixture.path("")).filter { $0 != "pid" }
            #expect(files.sorted() == (summary == "1 of 3 written" ? ["out", "out/a.png"] : []))
            #expect(fixture.origin.requestCount("/b.png") == 0)
        }
    }

    @Test(arguments: [["compare", "/a.jpg", "/slow.png"], ["convert", "/a.jpg", "OUT.png", "--overlay", "/slow.png"]])
    func aCommandWithoutABatchSaysThatItWasInterrupted(_ arguments: [String]) async throws {
        try await withCommandFixture { fixture in
            let run = try await interrupted(fixture, arguments)
            #expect(run.status == 130 && run.error == "tintype: interrupted\n" && run.output.isEmpty, "\(run.error)")
        }
    }

    /// Transfers run one after the other, but images are decoded meanwhile, so the first one may be interrupted too.
    @Test func fetchReportsExactlyTheFilesThatItHasWritten() async throws {
        try await withCommandFixture { fixture in
            let run = try await interrupted(
                fixture, ["fetch", "--concurrency", "1", "--json", "--output", "OUT", "IMAGES", "/b.png?2"])
            let output = fixture.path("out")
            let written = try run.records.compactMap { $0["output"] as? String }.map {
                String($0.dropFirst(output.count + 1))
            }
            #expect(run.status == 130 && run.error == "tintype: interrupted: \(written.count) of 4 loaded\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: output).sorted() == written.sorted())
        }
    }

    /// Nobody writes into the pipe, or closes it.
    @Test func theWaitForInputEndsToo() async {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let interruption = Interruption(signals: [])
        interruption.request()
        let input = InputStreamBytes(descriptor: ends[0], name: "a pipe")
        expectError(.cancelled) { try input.read(atMost: 10, "a list", until: interruption) }
    }

    /// A file that is created while the process ends is removed, and none is created later.
    @Test func everyTemporaryFileIsRemovedBeforeTheEnd() {
        var files = TemporaryFiles()
        let begun = ["a", "b", "c"].map { files.begin($0) }
        files.didOpen("a")
        files.didOpen("b")
        files.end("b")
        let first = files.close()
        files.didOpen("c")
        let (second, isAllowed) = (files.close(), files.begin("d"))
        files.end("c")
        let last = files.close()
        #expect(begun == [true, true, true] && !isAllowed)
        #expect(first.paths == ["a"] && first.isIncomplete)
        #expect(second.paths == ["a", "c"] && !second.isIncomplete)
        #expect(last.paths == ["a"])
    }

    /// Between the second signal and the end of the process, an image must not be reported as one that cannot be
    /// written.
    @Test func aWriteThatAnEndingProcessDoesNotBeginIsCancelled() {
        #expect(OutputFile.failure(POSIXError(.ECANCELED), "a.png").code == .cancelled)
        #expect(OutputFile.failure(POSIXError(.ENOSPC), "a.png").code == .unwritable)
    }

    @Test func aFileThatCannotBeCreatedIsNotAwaited() {
        var files = TemporaryFiles()
        _ = files.begin("a")
        files.end("a")
        let isIncomplete = files.close().isIncomplete
        #expect(!isIncomplete)
    }
}

extension InterruptiblePipeline {
    /// Returns the error of a load, or `nil` if it succeeds.
    fileprivate func error(of request: ImageRequest) async -> TintypeError? {
        do throws(TintypeError) {
            _ = try await response(for: request)
            return nil
        } catch {
            return error
        }
    }
}
