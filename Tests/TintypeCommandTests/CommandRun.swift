import Foundation
import Testing
import TintypeCore

/// One run of the command, and what came of it.
struct CommandRun: Sendable {
    let status: Int32
    let output: String
    let error: String

    /// The JSON objects of the output, one a line.
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

    /// Runs the `tintype` that was built beside this test bundle.
    ///
    /// What it writes goes to files, so that no pipe can fill up.
    static func tintype(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> CommandRun {
        await places.enter()
        defer { places.leave() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try ["in", "out", "err"].map { name in
            let url = folder.appending(path: name)
            try Data(name == "in" ? input.utf8 : "".utf8).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        let process = Process()
        process.executableURL = try binary
        process.arguments = patient(arguments)
        // A cache of its own, wherever none is named.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["XDG_CACHE_HOME": folder.path(percentEncoded: false)]) { $1 }.merging(environment) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
        try await ended(process)
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
        }
        return CommandRun(status: process.terminationStatus, output: try text("out"), error: try text("err"))
    }

    private static let places = CommandPlaces(16)

    /// Where no time is given up after, none that a busy machine needs.
    private static func patient(_ arguments: [String]) -> [String] {
        guard let subcommand = arguments.first, ["convert", "fetch", "info", "prefetch"].contains(subcommand),
            !arguments.contains("--timeout"), !arguments.contains("--help")
        else { return arguments }
        return [subcommand, "--timeout", "3600"] + arguments.dropFirst()
    }

    private static func ended(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }

    private static var binary: URL {
        get throws {
            let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: here).deletingLastPathComponent().appending(path: "tintype")
        }
    }
}

/// Lets so many commands run at once.
///
/// All tests are begun at the same time. Where a process has more than a thousand files open, Foundation's `Process` reads
/// behind the list of them, and may crash.
final class CommandPlaces: Sendable {
    private struct State: Sendable {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
