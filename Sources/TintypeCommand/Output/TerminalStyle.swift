import ArgumentParser
import Foundation
import Tintype

/// Options for the appearance of output on a terminal.
struct TerminalOptions: ParsableArguments {
    /// ``TintypeCommand`` reads the option before it parses arguments, so that usage errors have the right colours too.
    @Option(help: "When to colour the output: auto means on a terminal, unless NO_COLOR is set or TERM is dumb.")
    var color = ColorChoice.auto
}

/// When output has colours.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    case auto
    case always
    case never

    /// Returns the choice that arguments contain, the last one if there are several; `auto` for none or an invalid one,
    /// which the argument parser reports.
    init(in arguments: some Sequence<String>) {
        let name = "--color"
        var (choice, isValue) = (ColorChoice.auto, false)
        for argument in arguments.prefix(while: { $0 != "--" }) {
            if isValue {
                choice = ColorChoice(rawValue: argument) ?? choice
            } else if argument.hasPrefix(name + "=") {
                choice = ColorChoice(rawValue: String(argument.dropFirst(name.count + 1))) ?? choice
            }
            isValue = !isValue && argument == name
        }
        self = choice
    }

    /// Whether a stream has colours.
    ///
    /// - Parameter environment: `NO_COLOR`, unless empty, turns automatic colours off (no-color.org), as `TERM=dumb`
    ///   does.
    func hasColors(isTerminal: Bool, environment: [String: String]) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        }
    }
}

/// How a part of a line looks.
enum TextStyle: String, Sendable {
    case failure = "1;31"
    case success = "32"
    case warning = "33"
    case heading = "1"
    case secondary = "2"

    /// Returns the text between the control sequences of the style (ECMA-48, 8.3.117).
    func applied(to text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}

/// A line for a person: parts of text with their styles.
struct StyledText: Equatable, Sendable, ExpressibleByStringInterpolation {
    private struct Part: Equatable, Sendable {
        let text: String
        let style: TextStyle?
    }

    private var parts: [Part]

    init(_ text: String, _ style: TextStyle? = nil) {
        parts = [Part(text: text, style: style)]
    }

    init(stringLiteral text: String) {
        self.init(text)
    }

    static func + (left: StyledText, right: StyledText) -> StyledText {
        var sum = left
        sum.parts += right.parts
        return sum
    }

    /// The text without styles.
    var text: String { parts.map(\.text).joined() }

    /// Returns the text for a stream. Characters from outside that a terminal would interpret or hide are escaped.
    func rendered(inColor: Bool) -> String {
        parts.map { part in
            guard inColor, let style = part.style, !part.text.isEmpty else { return part.text.printable }
            return style.applied(to: part.text.printable)
        }.joined()
    }

    /// Returns the line of a failure or warning, whose first word is coloured if it is the name of the command or the
    /// word with which the argument parser begins.
    static func message(_ line: String, _ style: TextStyle) -> StyledText {
        for name in ["tintype:", "Error:"] where line.hasPrefix(name) {
            return StyledText(name, style) + StyledText(String(line.dropFirst(name.count)))
        }
        return StyledText(line)
    }
}
