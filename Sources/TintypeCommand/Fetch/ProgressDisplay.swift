import Foundation
import Tintype

/// Progress on a terminal: a block of lines on standard error that is redrawn in place, a few times a second.
final class ProgressDisplay: Sendable {
    private struct State: Sendable {
        var progress = ProgressState()
        var drawnLines = 0
        var lastDrawn: ContinuousClock.Instant?
    }

    private static let interval = Duration.milliseconds(100)

    private let state = Locked(State())
    /// Keeps whole blocks of output together. Held while writing to the terminal, like that of ``StandardOutput``, which
    /// is taken under it.
    private let terminal = Locked(())

    func begin(total: Int) {
        state.withLock { $0.progress.begin(total: total) }
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

    func finish(_ name: String, times: Int) {
        state.withLock { $0.progress.finish(name, times: times) }
    }

    /// Lets `body` write lines of its own, with the block out of the way.
    func interrupt(_ body: () -> Void) {
        terminal.withLock { _ in
            erase()
            body()
            draw()
        }
    }

    func end() {
        terminal.withLock { _ in erase() }
    }

    private func draw() {
        let columns = StandardError.columns
        let (before, lines) = state.withLock { state in
            let lines = state.progress.lines(columns: columns)
            defer { state.drawnLines = lines.count }
            return (state.drawnLines, lines)
        }
        let body = lines.map { "\($0)\u{1B}[K\n" }.joined()
        StandardError.write(raw: Self.up(before) + body + "\u{1B}[J")
    }

    private func erase() {
        let lines = state.withLock { state in
            defer { state.drawnLines = 0 }
            return state.drawnLines
        }
        StandardError.write(raw: Self.up(lines) + "\u{1B}[J")
    }

    /// To the first column, so many lines up.
    private static func up(_ lines: Int) -> String {
        lines == 0 ? "\r" : "\r\u{1B}[\(lines)A"
    }
}
