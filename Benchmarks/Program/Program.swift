import CBenchmarkControls
import Foundation
import TintypeCore

/// Runs the rows of `scripts/bench/report` inside one process, so that the script can run a row and its control in
/// turns.
///
/// Each line of standard input has words separated by tabs, and is answered by one line of JSON:
/// - `measure ROW SIDE COUNT ARGUMENT…` repeats one side of a row, and reports `wall` and `processor`, in seconds for
///   one repetition;
/// - `value ROW NAME ARGUMENT…` reports a number that is no time, as `value`;
/// - `write ROW NAME FILE ARGUMENT…` writes a result that the script compares with that of another program, and reports
///   `width` and `height` in pixels, or 0.
///
/// A row is prepared when it is first named with its arguments. An error is reported as `error`.
///
/// With the arguments `instructions PATH`, the program runs a path of ``InstructionCounts``, for callgrind.
@main
struct Program {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == "instructions" { return try await InstructionCounts.run(arguments.argument(1)) }
            control_keep_memory()
            await answerLines()
        } catch {
            FileHandle.standardError.write(Data("BenchmarkProgram: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func answerLines() async {
        var prepared = PreparedRows()
        while let line = readLine() {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            do {
                print(try await answer(words, &prepared))
            } catch {
                print(#"{"error": "\#("\(error)".replacing("\"", with: "'"))"}"#)
            }
            fflush(nil)
        }
    }

    private static func answer(_ words: [String], _ prepared: inout PreparedRows) async throws -> String {
        guard words.count >= 3 else { throw BenchmarkError("expected a command, a row and a name: \(words)") }
        switch (words[0], words.count) {
        case ("measure", 4...):
            let contest = try await prepared.contest(words[1], Array(words[4...]))
            guard let count = Int(words[3]), count > 0 else { throw BenchmarkError("not a count: \(words[3])") }
            return try await measure(contest, words[2], count)
        case ("value", 3...):
            let contest = try await prepared.contest(words[1], Array(words[3...]))
            guard let value = contest.values[words[2]] else { throw BenchmarkError("no value \(words[2])") }
            return #"{"value": \#(try await value())}"#
        case ("write", 4...):
            let contest = try await prepared.contest(words[1], Array(words[4...]))
            guard let write = contest.outputs[words[2]] else { throw BenchmarkError("no output \(words[2])") }
            let size = try await write(URL(filePath: words[3]))
            return #"{"width": \#(size?.width ?? 0), "height": \#(size?.height ?? 0)}"#
        default: throw BenchmarkError("unknown command: \(words)")
        }
    }

    private static func measure(_ contest: Contest, _ side: String, _ count: Int) async throws -> String {
        guard let work = contest.sides[side] else { throw BenchmarkError("no side \(side)") }
        let (processor, start) = (processorSeconds(), ContinuousClock.now)
        try await work(count)
        let wall = (ContinuousClock.now - start) / .seconds(1), used = processorSeconds() - processor
        return #"{"wall": \#(wall / Double(count)), "processor": \#(used / Double(count))}"#
    }

    /// The processor time of all threads so far.
    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The rows that were named before, by name and arguments.
private struct PreparedRows {
    private var contests: [[String]: Contest] = [:]

    mutating func contest(_ name: String, _ arguments: [String]) async throws -> Contest {
        let key = [name] + arguments
        if let contest = contests[key] { return contest }
        let contest = try await Contest.make(name, arguments)
        contests[key] = contest
        return contest
    }
}
