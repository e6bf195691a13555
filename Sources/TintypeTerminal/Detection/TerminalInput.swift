package import TintypeCore

/// Input from a terminal: answers to queries, and keys.
package enum TerminalInput: Hashable, Sendable {
    /// The primary device attributes (DA1), which every terminal answers.
    case attributes([Int])
    /// The name and version of the terminal (XTVERSION).
    case version(String)
    /// An answer of the kitty graphics protocol: the number of the image and the message, `OK` for success.
    case graphics(number: Int, message: String)
    /// The size of a cell in pixels.
    case cellSize(PixelSize)
    /// The size of the area with text in pixels.
    case areaSize(PixelSize)
    /// The state of a private mode: 0 if it is unknown, 1 or 3 if it is set, 2 or 4 if not.
    case mode(Int, state: Int)
    /// The number of colour registers for Sixel graphics.
    case colorRegisters(Int)
    /// The background of the terminal.
    case background(Color)
    /// The position of the cursor; columns and rows count from 0.
    case cursor(column: Int, row: Int)
    /// The status is good: what was written before the request has been processed.
    case ready
    /// A key.
    case key(TerminalKey)
}

/// A key, or a combination of keys.
public enum TerminalKey: Hashable, Sendable {
    /// A key with a character; control characters stand for combinations with the control key.
    case character(Character)
    /// An arrow.
    case up, down, left, right
    /// A key that moves by a page, or to the beginning or the end.
    case pageUp, pageDown, home, end
    /// Enter.
    case enter
    /// Escape.
    case escape
}
