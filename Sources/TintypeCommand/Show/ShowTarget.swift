import Foundation
import Tintype
import TintypeTerminal

/// Where the images of `tintype show` go.
enum ShowTarget {
    /// One line of text for each image: there is no terminal, or the user wants no graphics.
    case lines
    /// A terminal, which answers and has keys.
    case terminal(TerminalCapabilities)
    /// A file or a pipe that the user wants graphics in.
    case file(TerminalCapabilities)

    var isTerminal: Bool {
        if case .terminal = self { true } else { false }
    }

    /// Chooses the target, and asks the terminal what it can show.
    ///
    /// - Parameters:
    ///   - choice: The protocol that the user has chosen.
    ///   - span: The number of cells that the user has chosen, for a file, whose size is unknown.
    static func choose(_ choice: ProtocolArgument, span: CellSpanArgument?) -> ShowTarget {
        let variables = ProcessInfo.processInfo.environment
        let isOff = variables[TerminalEnvironment.protocolVariable] == ProtocolArgument.none.rawValue
        if choice == .none || choice == .auto && isOff { return .lines }
        guard StandardOutput.isTerminal else {
            guard let graphics = choice.graphics else { return .lines }
            let size = TerminalSize(columns: span?.columns ?? 80, rows: span?.rows ?? 24)
            let depth = TerminalEnvironment(variables).colors
            let hasColors = variables["NO_COLOR"]?.isEmpty != false
            return .file(
                TerminalCapabilities(size: size, colors: hasColors && depth == .none ? .palette256 : depth).using(
                    graphics))
        }
        // Without a controlling terminal, there is no answer.
        guard let capabilities = try? TerminalCapabilities.detect(variables: variables) else { return .lines }
        if TerminalEnvironment(variables).isDumb, choice == .auto { return .lines }
        return .terminal(choice.graphics.map(capabilities.using) ?? capabilities)
    }
}
