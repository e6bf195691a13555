#if GTK
import Foundation
import Testing
import TestSupport
import TintypeGTK
import TintypeTesting

/// The main actor in a GTK program. The tests' own process runs it by other means, so they start a program.
@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct BridgeTests {
    @Test func neitherJobsNorDrawingStarve() async throws {
        let (process, text) = try await run("bridge")
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit, "\(text)")
        #expect(text.contains("slow drawing: an image was loaded"))
    }

    /// With an asynchronous main function, the main actor does not run on the first thread.
    @Test(arguments: [
        ("attach-in-task", "a GTK program needs a synchronous main function"),
        ("attach-elsewhere", "must be called on the first thread"),
    ])
    func anAsynchronousMainFunctionIsRefused(_ mode: String, _ message: String) async throws {
        let (process, text) = try await run(mode)
        #expect(process.terminationReason == .uncaughtSignal && text.contains(message), "\(text)")
    }

    /// Runs the test program, and returns what it has printed.
    private func run(_ mode: String) async throws -> (Process, String) {
        try Screen.open()
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "GTKTest")
        process.arguments = [mode]
        // Without a trace of the stack, which takes seconds.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try await process.runToExit()
        return (process, String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
    }
}
#endif
