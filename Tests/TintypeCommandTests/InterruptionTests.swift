import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

/// `SIGINT` and `SIGTERM` end a batch after what is in hand.
@Suite(.timeLimit(.minutes(5))) struct InterruptionTests {
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

    @Test(arguments: 0...5) func itemsInHandEndAndNoFurtherBegins(_ reports: Int) async throws {
        let interruption = Interruption(signals: [])
        let begun = Locked<[Int]>([])
        var ended: [Int] = []
        let left = try await BatchRun.run(Array(0..<20), width: 3, until: interruption) { item in
            begun.withLock { $0.append(item) }
            return item
        } report: { item in
            ended.append(item)
            if ended.count == reports + 1 { interruption.request() }
        }
        #expect(begun.withLock { $0.sorted() } == ended.sorted() && ended.count + left == 20)
        #expect(ended.count <= reports + 3)
    }

    /// The shell writes its process number, which is then that of the command.
    @Test func aSignalEndsTheTransfersAndTheSummaryIsTrue() async throws {
        try await withCommandFixture { fixture in
            let pid = fixture.path("pid")
            fixture.origin.serve("/slow") { _ in
                while true {
                    let text = (try? String(contentsOfFile: pid, encoding: .utf8)) ?? ""
                    if text.hasSuffix("\n"), let number = pid_t(text.dropLast()) {
                        kill(number, SIGTERM)
                        return .status(200).with(\.ending, .never)
                    }
                }
            }
            let output = fixture.path("out")
            let run = try await CommandRun.shell(
                "file=$1; shift; echo $$ > \"$file\"; exec \"$0\" \"$@\"",
                [
                    pid, "fetch", "--timeout", "3600", "--concurrency", "1", "--json", "--output", output,
                    fixture.url("/a.jpg"), fixture.url("/slow"), fixture.url("/b.png"), fixture.url("/b.png?2"),
                ])
            #expect(run.status == 130 && run.error.contains("interrupted"), "\(run.error)")
            let written = try run.records.compactMap { $0["output"] as? String }.map {
                String($0.dropFirst(output.count + 1))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: output).sorted() == written.sorted())
        }
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

    @Test func aFileThatCannotBeCreatedIsNotAwaited() {
        var files = TemporaryFiles()
        _ = files.begin("a")
        files.end("a")
        let isIncomplete = files.close().isIncomplete
        #expect(!isIncomplete)
    }
}
