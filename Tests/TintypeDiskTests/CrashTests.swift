import Foundation
import TestSupport
import Testing
import TintypeTesting

/// A short version of the crash test, which `make crash-test` runs in full.
@Suite(.timeLimited) struct CrashTests {
    private func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
        let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "output")
        try Data().write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: here).deletingLastPathComponent().appending(path: "CrashTest")
        process.arguments = arguments
        let output = try FileHandle(forWritingTo: file)
        defer { try? output.close() }
        process.standardOutput = output
        try await process.runToExit()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    @Test func killedWritersLeaveCorrectEntriesOrNone() async throws {
        let (status, output) = try await run("kills", "10")
        #expect(status == 0, "\(output)")
    }

    @Test func changedBytesInAnyFileGiveCorrectEntriesOrMisses() async throws {
        let (status, output) = try await run("bytes", "4001", "2003")
        #expect(status == 0, "\(output)")
    }

    @Test func aFullDiskNeverCausesWrongBytes() async throws {
        let (status, output) = try await run("full")
        #expect(status == 0, "\(output)")
    }
}
