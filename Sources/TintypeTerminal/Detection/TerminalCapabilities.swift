package import TintypeCore

/// The capabilities of a terminal.
public struct TerminalCapabilities: Hashable, Sendable {
    /// The protocols that the terminal understands, the best one first.
    public var protocols: [GraphicsProtocol]
    /// The colours of characters.
    package var colors: ColorDepth
    /// The size of the terminal.
    package var size: TerminalSize
    /// The colour behind the text; `nil` if it is unknown.
    package var background: Color?
    /// The name and version that the terminal reports, such as `kitty(0.26.5)`; empty if it reports none.
    package var name: String
    /// The number of colours of a Sixel graphic.
    package var colorRegisters: Int
    /// Whether the terminal shows a frame at once, without the steps in which it is drawn (mode 2026).
    package var hasSynchronizedOutput: Bool
    /// Whether the terminal reads pixels from shared memory of this machine.
    package var hasSharedMemory: Bool
    /// Whether graphics of kitty's protocol go through tmux: characters stand for the parts of an image, and tmux moves
    /// and clips them like text.
    package var hasPlaceholders: Bool
    /// Whether the terminal is reached over `ssh`, so that output is compressed and transitions are left out.
    package var isRemote: Bool
    /// Whether the terminal answered the queries.
    package var hasAnswered: Bool

    /// Creates the capabilities of a terminal that shows only characters.
    package init(size: TerminalSize, colors: ColorDepth) {
        protocols = [.blocks, .quadrants]
        self.colors = colors
        self.size = size
        name = ""
        colorRegisters = 256
        hasSynchronizedOutput = false
        hasSharedMemory = false
        hasPlaceholders = false
        isRemote = false
        hasAnswered = false
    }

    /// The best protocol.
    package var bestProtocol: GraphicsProtocol { protocols.first ?? .blocks }

    /// Returns these capabilities with `graphics` as the first protocol.
    package func using(_ graphics: GraphicsProtocol) -> TerminalCapabilities {
        var copy = self
        copy.protocols = [graphics] + protocols.filter { $0 != graphics }
        // The terminal has not confirmed the protocol, and so not its media either.
        if !protocols.contains(graphics) { copy.hasSharedMemory = false }
        return copy
    }
}
