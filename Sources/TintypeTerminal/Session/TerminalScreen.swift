/// The part of the terminal that a session uses.
public enum TerminalScreen: Hashable, Sendable {
    /// The main screen, with the text of the shell. Text and images remain when the session ends.
    case main
    /// The alternate screen. The main screen is restored when the session ends.
    case alternate

    /// The state of the output before a session ends.
    package enum FormerOutput: Sendable {
        /// Whole frames.
        case complete
        /// A frame that may have been truncated anywhere.
        case cutOff
    }

    /// The bytes to write at the beginning of a session.
    var beginning: [UInt8] {
        var bytes: [UInt8] = []
        if self == .alternate { bytes.append(ControlSequence.alternateScreen + ControlSequence.clearScreen) }
        bytes.append(ControlSequence.hideCursor)
        return bytes
    }

    /// Returns the bytes to write at the end. They do not depend on the session, so a signal handler can write them.
    ///
    /// - Parameters:
    ///   - graphics: The protocol of the session.
    ///   - output: Whether a frame may have been truncated.
    ///   - restingRow: The row of the cursor between frames, if the session has one. After whole frames the cursor is
    ///     there, or where the terminal has moved it together with the text.
    package func restoration(
        _ graphics: GraphicsProtocol, after output: FormerOutput, restingRow: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        // The end of a string, of a synchronized update, and of colours.
        if output == .cutOff { bytes.append(ControlSequence.stringTerminator + ControlSequence.endUpdate) }
        bytes.append(ControlSequence.resetStyle)
        if output == .cutOff, let restingRow { bytes.appendMove(column: 0, row: restingRow) }
        if self == .alternate {
            if graphics == .kitty { bytes.append("\u{1B}_Ga=d,d=A,q=2\u{1B}\\") }
            bytes.append(ControlSequence.mainScreen)
        }
        bytes.append(ControlSequence.showCursor)
        return bytes
    }
}
