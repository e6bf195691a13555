#if GTK
import Foundation
import Testing
import TintypeGTK
import TintypeTesting

/// The main actor in a GTK program. The tests' own process runs it by other means, so they start a program.
@Suite(.serialized, .needsScreen, .timeLimit(.minutes(5))) @MainActor struct BridgeTests {
    @Test func neitherJobsNorDrawingStarve() async throws {
        try Screen.open()
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "GTKTest")
        process.arguments = ["bridge"]
        let output = Pipe()
        process.standardOutput = output
        try await process.runToExit()
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit, "\(text)")
        #expect(text.contains("slow drawing: "))
    }

    @Test func anAsynchronousMainFunctionIsRefused() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run { TintypeGTK.attach() }
        }
    }
}
#endif
