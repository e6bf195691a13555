/// The control sequences that more than one file writes (ECMA-48, and xterm's *ctlseqs*).
enum ControlSequence {
    static let escape: UInt8 = 0x1B
    static let saveCursor = "\u{1B}7"
    static let restoreCursor = "\u{1B}8"
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static let alternateScreen = "\u{1B}[?1049h"
    static let mainScreen = "\u{1B}[?1049l"
    /// The terminal shows nothing until the update ends.
    static let beginUpdate = "\u{1B}[?2026h"
    static let endUpdate = "\u{1B}[?2026l"
    static let resetStyle = "\u{1B}[0m"
    static let clearScreen = "\u{1B}[2J"
    /// Asks for the status, which every terminal reports after it has processed what comes before.
    static let requestStatus = "\u{1B}[5n"
    /// The end of a string: of an APC, DCS or OSC sequence.
    static let stringTerminator = "\u{1B}\\"
    /// Ends a string that tmux was passing on, wherever the string was truncated. The first terminator may only
    /// complete a doubled escape; the second ends the string of tmux. The other two are passed on to the terminal: the
    /// first of them may only complete an escape in the terminal's string; the second ends that string.
    package static let endOfPassedString =
        stringTerminator + stringTerminator
        + "\u{1B}Ptmux;\u{1B}" + stringTerminator + "\u{1B}" + stringTerminator + stringTerminator
}

extension [UInt8] {
    /// Appends the UTF-8 form of a text.
    mutating func append(_ text: String) {
        append(contentsOf: text.utf8)
    }

    /// Appends the decimal digits of a number.
    mutating func append(decimal number: Int) {
        if number < 0 { return append(String(number)) }
        if number < 10 { return append(UInt8(ascii: "0") + UInt8(number)) }
        if number < 100 {
            append(UInt8(ascii: "0") + UInt8(number / 10))
            return append(UInt8(ascii: "0") + UInt8(number % 10))
        }
        append(contentsOf: String(number).utf8)
    }

    /// Appends the sequence that moves the cursor to a cell; columns and rows count from 0.
    mutating func appendMove(column: Int, row: Int) {
        append("\u{1B}[")
        append(decimal: row + 1)
        append(UInt8(ascii: ";"))
        append(decimal: column + 1)
        append(UInt8(ascii: "H"))
    }
}
