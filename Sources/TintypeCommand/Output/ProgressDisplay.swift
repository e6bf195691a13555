import Dispatch
import Foundation
import Tintype

/// A progress display on a terminal: a block of lines on standard error that is redrawn in place ten times a second.
/// Lines that are written meanwhile appear above the block. It reads the progress of the running loads when it draws.
final class ProgressDisplay: Sendable {
    private struct State: Sendable {
        var progress = ProgressState()
        var block = ProgressBlock()
        var start = ContinuousClock.now
    }

    private static let interval = DispatchTimeInterval.milliseconds(100)

    private let state = Locked(State())
    /// Whether the block is redrawn. Held while a block of output is written, so that blocks do not mix. The locks of
    /// `state` and ``StandardOutput`` are taken under it.
    private let terminal = Locked(false)

    /// Begins to redraw the block.
    func begin(total: Int) {
        state.withLock { state in
            state.progress.begin(total: total)
            state.start = .now
        }
        terminal.withLock { $0 = true }
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        // The handler holds the timer until the block is erased.
        timer.setEventHandler { [weak self] in if self?.redraw() != true { timer.cancel() } }
        timer.activate()
    }

    /// Shows a load as soon as bytes of it have arrived.
    ///
    /// - Parameter progress: Returns the newest progress of the load, on any thread.
    /// - Returns: The number of the load, which ``endLoad(_:)`` takes.
    func beginLoad(_ name: String, progress: @escaping @Sendable () -> LoadProgress) -> Int {
        state.withLock { $0.progress.beginLoad(name, progress: progress) }
    }

    /// Removes the line of a load. Its bytes stay in the total.
    func endLoad(_ number: Int) {
        state.withLock { $0.progress.endLoad(number) }
    }

    /// Counts a source that has finished.
    ///
    /// - Parameters:
    ///   - times: How often the source was listed.
    ///   - bytes: The bytes to add to the total, if the load of the source was not shown.
    func finish(times: Int = 1, bytes: Int = 0) {
        state.withLock { $0.progress.finish(times: times, bytes: bytes) }
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

    /// Erases the block, which is not redrawn any more.
    func end() {
        terminal.withLock { isRedrawn in
            isRedrawn = false
            erase()
        }
    }

    /// - Returns: `false` if the display has ended.
    private func redraw() -> Bool {
        terminal.withLock { isRedrawn in
            if isRedrawn { draw() }
            return isRedrawn
        }
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

/// A block of lines at the end of what a terminal shows. It is drawn over the former one, with control sequences of
/// ECMA-48 and, for automatic line breaks, of DEC.
struct ProgressBlock: Equatable, Sendable {
    private var drawnLines: [String] = []

    /// Returns the text that draws lines in place of the former ones; empty if they are the same.
    mutating func draw(_ lines: [String], inColor: Bool) -> String {
        guard lines != drawnLines else { return "" }
        let body = lines.map { "\(inColor ? Self.colored($0) : $0)\u{1B}[K\n" }.joined()
        defer { drawnLines = lines }
        // Without automatic line breaks, a line with wide characters is truncated instead of taking two rows.
        return "\u{1B}[?7l" + toFirstLine + body + "\u{1B}[J\u{1B}[?7h"
    }

    /// Returns the text that erases the block; empty if none is drawn.
    mutating func erase() -> String {
        defer { drawnLines = [] }
        return drawnLines.isEmpty ? "" : toFirstLine + "\u{1B}[J"
    }

    /// The control sequence that moves the cursor to the first column of the first line.
    private var toFirstLine: String { drawnLines.isEmpty ? "\r" : "\r\u{1B}[\(drawnLines.count)A" }

    /// Returns a line with the received part of its bar in colour.
    private static func colored(_ line: String) -> String {
        let full = line.prefix { $0 == ProgressState.fullCell }
        return full.isEmpty ? line : TextStyle.success.applied(to: String(full)) + line.dropFirst(full.count)
    }
}

/// The running loads, and the lines that show them.
struct ProgressState: Sendable {
    private struct Load: Sendable {
        let number: Int
        let label: ProgressLabel
        let progress: @Sendable () -> LoadProgress
    }

    private var total = 0
    private var finished = 0
    /// The bytes of the loads that have ended.
    private var endedBytes = 0
    /// The running loads, in the order in which they began.
    private var loads: [Load] = []
    private var lastNumber = 0

    /// A cell of the bar of a transfer whose bytes have been received.
    static let fullCell: Character = "━"

    /// The maximum number of transfers shown; the line with the total comes in addition.
    private static let maximumTransfers = 12

    mutating func begin(total: Int) { self.total = total }

    /// Returns the number of the load.
    mutating func beginLoad(_ name: String, progress: @escaping @Sendable () -> LoadProgress) -> Int {
        lastNumber += 1
        let label = ProgressLabel(SourceArgument.displayName(of: name))
        loads.append(Load(number: lastNumber, label: label, progress: progress))
        return lastNumber
    }

    mutating func endLoad(_ number: Int) {
        guard let index = loads.firstIndex(where: { $0.number == number }) else { return }
        endedBytes += loads.remove(at: index).progress().received
    }

    mutating func finish(times: Int = 1, bytes: Int = 0) {
        finished += times
        endedBytes += bytes
    }

    /// Returns one line for each load of which bytes have arrived, then the total, each shorter than `columns`
    /// characters.
    ///
    /// - Parameter elapsed: The time since the beginning.
    func lines(columns: Int, after elapsed: Duration = .zero) -> [String] {
        let transfers = loads.map { ($0.label, $0.progress()) }.filter { $0.1 != LoadProgress() }
        let received = transfers.reduce(endedBytes) { $0 + $1.1.received }
        return transfers.prefix(Self.maximumTransfers).map { Self.line($0, $1, columns) }
            + [String(totals(received, after: elapsed).prefix(columns - 1))]
    }

    /// Returns a line such as `12 of 40 done, 34 MB, 1.2 MB/s, 28 s left`. The rate and the remaining time are averages
    /// since the beginning, and are left out in the first second.
    private func totals(_ received: Int, after elapsed: Duration) -> String {
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
