import ArgumentParser
import Tintype
import TintypeTerminal

/// How `tintype show` shows images.
enum ProtocolArgument: String, ExpressibleByArgument, CaseIterable {
    /// The best protocol that the terminal has.
    case auto
    case kitty, iterm2, sixel, blocks, quadrants
    /// A line of text.
    case none

    /// The protocol; `nil` for `auto` and `none`.
    var graphics: GraphicsProtocol? { GraphicsProtocol(rawValue: rawValue) }
}

/// How often an animation plays.
enum RepetitionArgument: String, EnumerableFlag {
    case loop
    case once

    static func help(for value: RepetitionArgument) -> ArgumentHelp? {
        switch value {
        case .loop: "Play animations forever, or until q or Escape is pressed."
        case .once: "Play animations once."
        }
    }
}

/// A number of cells, such as `80x24`, or `80` for a width alone.
struct CellSpanArgument: ExpressibleByArgument {
    let columns: Int
    /// `nil` for no limit.
    let rows: Int?

    /// The valid values, as an error message describes them.
    static let expectation = "a number of columns and rows, such as 80x24, or of columns, such as 80"

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(parts.count), let columns = parts[0], (1...10_000).contains(columns) else { return nil }
        self.columns = columns
        rows = parts.count == 2 ? parts[1] : nil
        if parts.count == 2 { guard let rows, (1...10_000).contains(rows) else { return nil } }
    }

    /// Returns the cells that an image may cover.
    func span(_ capabilities: TerminalCapabilities) -> CellSpan {
        // Characters may be higher than the screen, which scrolls. Graphics are drawn on the rows of the screen.
        let isText = capabilities.bestProtocol.symbols(capabilities.colors) != nil
        let highest = isText ? 10_000 : max(1, capabilities.size.rows - 2)
        return CellSpan(columns: min(columns, capabilities.size.columns), rows: min(rows ?? highest, highest))
    }
}
