import Foundation
import Testing
import TintypeCore
import TintypeTesting

/// The result of one run of the command.
struct CommandRun: Sendable {
    let status: Int32
    let output: String
    let error: String

    /// The JSON objects of the output, one per line.
    var records: [[String: any Sendable]] {
        get throws {
            try output.split(separator: "\n").map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return try #require(object as? [String: any Sendable])
            }
        }
    }

    static func tintype(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> CommandRun {
        try await tintype(arguments, input: input, environment: environment)
    }

    /// Runs the `tintype` that was built next to this test bundle.
    ///
    /// Its output goes to files, because a full pipe would block it.
    static func tintype(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> CommandRun {
        try await run(try binary, withLongTimeout(arguments), input: input, environment: environment)
    }

    /// Runs `tintype` in a shell, which can redirect its output and pass arguments that are not UTF-8.
    ///
    /// - Parameter script: a shell script, in which `tintype "$@"` runs the command with the arguments.
    static func shell(
        _ script: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> CommandRun {
        let function = "tintype() { \"$0\" \"$@\"; }; \(script)"
        let shell = ["-c", function, try binary.path(percentEncoded: false)] + withLongTimeout(arguments)
        return try await run(URL(filePath: "/bin/sh"), shell, input: "", environment: environment)
    }

    private static func run(
        _ executable: URL, _ arguments: [String], input: String, environment: [String: String]
    ) async throws -> CommandRun {
        await slots.acquire()
        defer { slots.release() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try ["in", "out", "err"].map { name in
            let url = folder.appending(path: name)
            try Data(name == "in" ? input.utf8 : "".utf8).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        // `Process` keeps its files open. With more than a thousand, it misses that a process exits.
        defer { for file in files { try? file.close() } }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        // The default cache directory is private to the run.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["XDG_CACHE_HOME": folder.path(percentEncoded: false)]) { $1 }
            // A crash is reported by its status; a backtrace takes seconds.
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
        try await process.runToExit()
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
        }
        return CommandRun(status: process.terminationStatus, output: try text("out"), error: try text("err"))
    }

    private static let slots = ProcessSlots(16)

    /// Adds a long time-out unless the arguments have one, so that tests pass on a busy machine.
    private static func withLongTimeout(_ arguments: [String]) -> [String] {
        // A shell may take the first argument away.
        let subcommands = ["compare", "convert", "fetch", "info", "prefetch", "show"]
        guard let subcommand = arguments.prefix(2).firstIndex(where: subcommands.contains), arguments[0] != "help",
            !arguments.contains("--timeout"), !arguments.contains("--help"), !arguments.contains("--help-all")
        else { return arguments }
        return arguments[...subcommand] + ["--timeout", "3600"] + arguments[(subcommand + 1)...]
    }

    static var binary: URL {
        get throws {
            let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: here).deletingLastPathComponent().appending(path: "tintype")
        }
    }
}

/// Limits how many commands run at once.
///
/// All tests start at the same time. With more than a thousand open files, Foundation's `Process` reads beyond its
/// array of file descriptors and may crash.
final class ProcessSlots: Sendable {
    private struct State: Sendable {
        var free: Int
        var waiting: [SharedPromise<Void>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    func acquire() async {
        let turn = SharedPromise<Void>()
        let isFree = state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return true
            }
            state.waiting.append(turn)
            return false
        }
        // A cancelled test still waits, because `release` hands the slot over to it.
        if !isFree { await turn.wait { nil } }
    }

    func release() {
        let next = state.withLock { state -> SharedPromise<Void>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.fulfill(())
    }
}
