import Foundation
import Tintype

/// A progress display on a terminal: a block of lines on standard error that is redrawn in place. Bytes that arrive redraw it
/// at most ten times a second; a line that is written above it always does, because it takes its place.
final class ProgressDisplay: Sendable {
    private struct State: Sendable {
        var progress = ProgressState()
        var block = ProgressBlock()
        var lastDrawn: ContinuousClock.Instant?
        var start = ContinuousClock.now
    }

    private static let interval = Duration.milliseconds(100)

    private let state = Locked(State())
    /// Held while a block of output is written, so that blocks do not mix. The locks of `state` and ``StandardOutput``
    /// are taken under it.
    private let terminal = Locked(())

    func begin(total: Int) {
        state.withLock { state in
            state.progress.begin(total: total)
            state.start = .now
        }
    }

    func update(_ name: String, _ progress: LoadProgress) {
        let isDue = state.withLock { state in
            state.progress.update(name, progress)
            let now = ContinuousClock.now
            guard state.lastDrawn.map({ $0.duration(to: now) >= Self.interval }) ?? true else { return false }
            state.lastDrawn = now
            return true
        }
        if isDue { terminal.withLock { _ in draw() } }
    }

    /// Marks a source as finished.
    ///
    /// - Parameters:
    ///   - times: How often the source was listed.
    ///   - bytes: The bytes that were written, if no progress of the source was reported.
    func finish(_ name: String, times: Int, bytes: Int = 0) {
        state.withLock { $0.progress.finish(name, times: times, bytes: bytes) }
    }

    /// Erases the block, runs `body`, which may write lines, and draws the block again below those lines.
    ///
    /// - Throws: The error of `body`.
    func interrupt<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        try terminal.withLock { _ throws(Failure) in
            erase()
            try body()
            draw()
        }
    }

    /// Erases the block.
    func end() {
        terminal.withLock { _ in erase() }
    }

    private func draw() {
        let columns = StandardError.columns
        let inColor = StandardStream.hasColors(STDERR_FILENO)
        let text = state.withLock { state in
            let lines = state.progress.lines(columns: columns, after: state.start.duration(to: .now))
            return state.block.draw(lines, inColor: inColor)
        }
        StandardError.write(raw: text)
    }

    private func erase() {
        StandardError.write(raw: state.withLock { $0.block.erase() })
    }
}

/// A block of lines at the end of what a terminal shows. It is drawn over the former one, with control sequences of ECMA-48
/// and, for automatic line breaks, of DEC.
struct ProgressBlock: Equatable, Sendable {
    private var drawnLines = 0

    /// Returns the text that draws lines in place of the former ones.
    mutating func draw(_ lines: [String], inColor: Bool) -> String {
        let body = lines.map { "\(inColor ? Self.colored($0) : $0)\u{1B}[K\n" }.joined()
        defer { drawnLines = lines.count }
        // Without automatic line breaks, a line with wide characters is cut off instead of taking two rows.
        return "\u{1B}[?7l" + toFirstLine + body + "\u{1B}[J\u{1B}[?7h"
    }

    /// Returns the text that erases the block; empty if none is drawn.
    mutating func erase() -> String {
        defer { drawnLines = 0 }
        return drawnLines == 0 ? "" : toFirstLine + "\u{1B}[J"
    }

    /// The control sequence that moves the cursor to the first column of the first line.
    private var toFirstLine: String { drawnLines == 0 ? "\r" : "\r\u{1B}[\(drawnLines)A" }

    /// Returns a line with the received part of its bar in colour.
    private static func colored(_ line: String) -> String {
        let full = line.prefix { $0 == ProgressState.fullCell }
        return full.isEmpty ? line : TextStyle.success.applied(to: String(full)) + line.dropFirst(full.count)
    }
}

/// The running transfers, and the lines that show them.
struct ProgressState: Sendable {
    private var total = 0
    private var finished = 0
    /// The bytes of the transfers that have finished.
    private var finishedBytes = 0
    /// The numbers of the running transfers by name. Drawing does not look names up, because hashing one is O(n).
    private var numbers: [String: Int] = [:]
    /// The running transfers by number, in the order in which they began.
    private var running: [(number: Int, label: ProgressLabel, progress: LoadProgress)] = []
    private var lastNumber = 0

    /// A cell of the bar of a transfer whose bytes have been received.
    static let fullCell: Character = "━"

    /// The maximum number of transfers shown; the line with the total comes in addition.
    private static let maximumTransfers = 12

    mutating func begin(total: Int) { self.total = total }

    mutating func update(_ name: String, _ progress: LoadProgress) {
        if let number = numbers[name] {
            if let index = running.firstIndex(where: { $0.number == number }) { running[index].progress = progress }
        } else {
            lastNumber += 1
            numbers[name] = lastNumber
            running.append((lastNumber, ProgressLabel(SourceArgument.displayName(of: name)), progress))
        }
    }

    mutating func finish(_ name: String, times: Int, bytes: Int = 0) {
        finished += times
        finishedBytes += bytes
        guard let number = numbers.removeValue(forKey: name),
            let index = running.firstIndex(where: { $0.number == number })
        else { return }
        finishedBytes += running.remove(at: index).progress.received
    }

    /// Returns one line for each running transfer, then the total, each shorter than `columns` characters.
    ///
    /// - Parameter elapsed: The time since the beginning.
    func lines(columns: Int, after elapsed: Duration = .zero) -> [String] {
        let shown = running.prefix(Self.maximumTransfers).map { Self.line($0.label, $0.progress, columns) }
        return shown + [String(totals(after: elapsed).prefix(columns - 1))]
    }

    /// Such as `12 of 40 done, 34 MB, 1.2 MB/s, 28 s left`. The rate and the rest are means since the beginning, which
    /// say nothing in the first second.
    private func totals(after elapsed: Duration) -> String {
        let received = running.reduce(finishedBytes) { $0 + $1.progress.received }
        let seconds = elapsed.inSeconds
        var parts = ["\(finished) of \(total) done", HumanFormat.bytes(received)]
        guard seconds >= 1 else { return parts.joined(separator: ", ") }
        parts.append("\(HumanFormat.bytes(Int(Double(received) / seconds)))/s")
        if finished > 0, finished < total {
            let rest = seconds / Double(finished) * Double(total - finished)
            parts.append("\(HumanFormat.time(seconds: rest)) left")
        }
        return parts.joined(separator: ", ")
    }

    private static func line(_ label: ProgressLabel, _ progress: LoadProgress, _ columns: Int) -> String {
        let amount =
            progress.expected.map { "\(HumanFormat.bytes(progress.received)) of \(HumanFormat.bytes($0))" }
            ?? HumanFormat.bytes(progress.received)
        let head = "\(bar(progress.fraction)) \(amount.padded(18, minimum: 0)) "
        return String((head + label.text(columns: max(8, columns - head.count - 1))).prefix(columns - 1))
    }

    private static func bar(_ fraction: Double?) -> String {
        let width = 16
        guard let fraction else { return String(repeating: "·", count: width) }
        let full = Int((fraction * Double(width)).rounded(.down))
        return String(repeating: fullCell, count: full) + String(repeating: "╌", count: width - full)
    }
}

/// The name of a transfer, as the progress shows it: the end of its URL, which says more than the beginning.
///
/// It is computed once: a URL can have megabytes, and a line is drawn ten times a second.
private struct ProgressLabel: Sendable {
    private let end: String
    private let isWhole: Bool

    /// No terminal is wider.
    private static let maximumCount = 1000

    init(_ name: String) {
        let scalars = name.unicodeScalars.suffix(Self.maximumCount)
        end = String(scalars).printable
        isWhole = scalars.startIndex == name.startIndex
    }

    func text(columns: Int) -> String {
        isWhole && end.count <= columns ? end : "…" + end.suffix(columns - 1)
    }
}
