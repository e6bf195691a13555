import TintypeCore

/// Passes the progress of a load to a view.
@MainActor final class TerminalProgressBar: LoadIndicator {
    private let show: @MainActor (LoadProgress?) -> Void

    /// - Parameter show: Receives the progress, and `nil` at the end.
    init(_ show: @escaping @MainActor (LoadProgress?) -> Void) {
        self.show = show
    }

    func start() { show(LoadProgress()) }
    func update(_ progress: LoadProgress) { show(progress) }
    func stop() { show(nil) }

    /// Returns a bar such as `━━━━━━━━╌╌╌╌╌╌╌╌ 50 %`, with at most `columns` characters.
    nonisolated static func line(_ progress: LoadProgress, columns: Int) -> String {
        let width = max(1, min(16, columns - 6))
        guard let fraction = progress.fraction else { return String(repeating: "·", count: width) }
        let full = Int((fraction * Double(width)).rounded(.down))
        let bar = String(repeating: "━", count: full) + String(repeating: "╌", count: width - full)
        return columns < width + 6 ? bar : "\(bar) \(Int(fraction * 100)) %"
    }
}
