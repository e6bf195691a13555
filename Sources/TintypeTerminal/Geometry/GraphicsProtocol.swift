/// A protocol for showing images in a terminal.
public enum GraphicsProtocol: String, Hashable, Sendable, CaseIterable {
    /// The graphics protocol of kitty, which Ghostty and Konsole also understand, and WezTerm in part.
    case kitty
    /// The inline images of iTerm2, which WezTerm, mintty, Warp and Konsole also understand.
    case iterm2
    /// Sixel graphics of DEC's VT340, which foot, xterm, mlterm, Contour and Windows Terminal understand.
    case sixel
    /// Characters, each of which shows two pixels: ▄.
    case blocks
    /// Characters, each of which shows four pixels in two colours, such as ▚.
    case quadrants

    /// The pixels of a cell, for a protocol that draws with characters; `nil` for others.
    ///
    /// - Parameter colors: Without colours, each cell is a shade.
    package func symbols(_ colors: ColorDepth) -> CellSymbols? {
        switch self {
        case .kitty, .iterm2, .sixel: nil
        case .blocks: colors == .none ? .shades : .halfBlocks
        case .quadrants: colors == .none ? .shades : .quadrants
        }
    }
}

/// The colours that a terminal shows for characters.
package enum ColorDepth: String, Hashable, Sendable, CaseIterable {
    /// Only the default colours.
    case none = "0"
    /// The 16 colours of the user's theme.
    case ansi16 = "16"
    /// A cube of 6 × 6 × 6 colours and 24 greys.
    case palette256 = "256"
    /// All colours.
    case trueColor = "24bit"
}
