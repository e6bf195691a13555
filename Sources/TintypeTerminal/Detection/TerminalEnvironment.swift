/// The description of the terminal by environment variables.
///
/// They are hints: `ssh`, `sudo`, `tmux` and nested terminals pass on values of another terminal.
package struct TerminalEnvironment: Sendable {
    private let variables: [String: String]

    /// The variable that selects the protocol: a ``GraphicsProtocol``, or `none`.
    package static let protocolVariable = "TINTYPE_PROTOCOL"

    /// Creates an environment from variables.
    package init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// The value of `TERM`.
    package var term: String { variables["TERM"] ?? "" }

    /// Whether the terminal understands no control sequences.
    package var isDumb: Bool { term.isEmpty || term == "dumb" }

    /// Whether the terminal is a pane of tmux.
    package var isTmux: Bool { isSet("TMUX") }

    /// Whether the terminal is on another machine.
    package var isRemote: Bool { isSet("SSH_CONNECTION") || isSet("SSH_TTY") }

    /// The value of ``protocolVariable``; `nil` if it is not set.
    package var protocolName: String? { isSet(Self.protocolVariable) ? variables[Self.protocolVariable] : nil }

    /// Whether the terminal prints the strings of the kitty protocol instead of ignoring them.
    package var printsUnknownStrings: Bool {
        term == "linux" || term.hasPrefix("screen") && !isTmux
    }

    /// The colours for characters (https://no-color.org; `COLORTERM` has no specification).
    package var colors: ColorDepth {
        if isSet("NO_COLOR") || isDumb { return .none }
        let colorTerm = variables["COLORTERM"] ?? ""
        if colorTerm == "truecolor" || colorTerm == "24bit" || term.hasSuffix("-direct") || isSet("WT_SESSION") {
            return .trueColor
        }
        return term.contains("256color") || term == "xterm-kitty" || term.hasPrefix("foot") ? .palette256 : .ansi16
    }

    /// Whether the terminal is one that shows the inline images of iTerm2, although no query tells that.
    package var claimsInlineImages: Bool {
        ["iTerm.app", "WezTerm", "mintty", "WarpTerminal"].contains(variables["TERM_PROGRAM"] ?? "")
            || variables["LC_TERMINAL"] == "iTerm2"
    }

    /// Whether `COLORFGBG` names a bright background; `nil` if it is not set.
    package var hasBrightBackground: Bool? {
        guard let last = variables["COLORFGBG"]?.split(separator: ";").last, let number = Int(last) else { return nil }
        return number == 7 || number == 15
    }

    private func isSet(_ name: String) -> Bool { variables[name]?.isEmpty == false }
}
