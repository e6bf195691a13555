import Foundation
import Testing
import TintypeTesting

/// A program of the system that judges the server.
enum TestProgram: String, CaseIterable {
    case chromium
    case curl

    static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(rawValue)" }.first { access($0, X_OK) == 0 }
    }

    /// Runs the program to its end. Its output goes to files, because a full pipe would block it.
    func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(filePath: try #require(path))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path(percentEncoded: false),
        ]
        let files = try ["output", "errors"].map { name in
            let url = folder.appending(path: name)
            try Data().write(to: url)
            return try FileHandle(forUpdating: url)
        }
        defer { for file in files { try? file.close() } }
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (files[0], files[1])
        try await process.runToExit()
        let texts = try ["output", "errors"].map { name in
            String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
        }
        return (process.terminationStatus, texts[0], texts[1])
    }
}

/// The programs without which tests of the server are skipped.
@Suite struct TestProgramTests {
    @Test(.enabled(if: TestProgram.isRequired), arguments: TestProgram.allCases)
    func theProgramIsInstalledForCI(_ program: TestProgram) { #expect(program.path != nil) }
}
