package import TintypeCore

/// Asks a terminal what it can show, by one batch of queries and a deadline.
///
/// The last query is one that every terminal answers. Its answer is a fence: a query that has not been answered by then
/// never will be. The type performs no I/O and uses no clock.
package struct DetectionState: Sendable {
    private let environment: TerminalEnvironment
    private let tmux: TmuxClient?
    private var capabilities: TerminalCapabilities
    private var parser = TerminalInputParser()
    private var attributes: [Int]?
    private var hasGraphics = false
    private var hasSharedGraphics = false
    private var pixels: (cell: PixelSize?, area: PixelSize?) = (nil, nil)
    /// The keys that the user pressed meanwhile.
    package private(set) var keys: [TerminalKey] = []

    /// The numbers of the queries of the kitty protocol: pixels in the query, and pixels in shared memory.
    private static let (inlineQuery, sharedQuery) = (31, 32)

    /// Begins a detection.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - size: The size that the kernel knows.
    ///   - isCellKnown: Whether that size includes the size of a cell.
    ///   - tmux: The terminal that tmux runs in; `nil` outside of tmux.
    package init(
        _ environment: TerminalEnvironment, size: TerminalSize, isCellKnown: Bool, tmux: TmuxClient? = nil
    ) {
        self.environment = environment
        self.tmux = tmux
        capabilities = TerminalCapabilities(size: size, colors: environment.colors)
        if isCellKnown { pixels.cell = size.cell }
        capabilities.isRemote = environment.isRemote
    }

    /// The longest time to wait for the fence. Most terminals need a few milliseconds, kitty while it starts half a
    /// second, slow connections more. tmux answers itself.
    package var patience: Duration {
        environment.isRemote ? .seconds(2) : environment.isTmux ? .milliseconds(500) : .seconds(1)
    }

    /// Whether the terminal has answered all that it will answer.
    package var isComplete: Bool { attributes != nil }

    /// Returns the queries; none for a terminal that understands no control sequences.
    ///
    /// - Parameter shared: One pixel in shared memory, with which the terminal proves that it is on this machine.
    package func queries(shared: SharedPixels?) -> [UInt8] {
        if environment.isDumb { return [] }
        var bytes: [UInt8] = []
        // The name, the size of a cell and of the text area, synchronized output, colour registers, the background.
        bytes.append("\u{1B}[>q\u{1B}[16t\u{1B}[14t\u{1B}[?2026$p")
        if !environment.printsUnknownStrings {
            bytes.append("\u{1B}[?1;1;0S\u{1B}]11;?\u{1B}\\")
            bytes.append(contentsOf: graphicsQueries(shared))
        }
        bytes.append("\u{1B}[c")
        return bytes
    }

    private func graphicsQueries(_ shared: SharedPixels?) -> [UInt8] {
        // tmux drops the queries; those that pass through it are answered after its own fence.
        guard !environment.isTmux, let pixel = try? Self.queryPixels() else { return [] }
        let inline = KittyCommand.query(number: UInt32(Self.inlineQuery), pixel)
        guard let shared else { return inline }
        return inline
            + KittyCommand.query(number: UInt32(Self.sharedQuery), pixel, by: .sharedMemory(name: shared.name))
    }

    /// Returns the single black pixel of the queries.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package static func queryPixels() throws(TintypeError) -> KittyPixels {
        try KittyPixels(.makeRows(PixelSize(width: 1, height: 1)) { _, row in row.update(repeating: 0xFF00_0000) })
    }

    /// Takes bytes from the terminal, answers and keys.
    package mutating func receive(_ bytes: some Sequence<UInt8>) {
        for input in parser.parse(bytes) { receive(input) }
    }

    private mutating func receive(_ input: TerminalInput) {
        switch input {
        case .attributes(let numbers): attributes = numbers
        case .version(let name): capabilities.name = String(name.prefix(64))
        case .graphics(let number, let message):
            if number == Self.inlineQuery, message == "OK" { hasGraphics = true }
            if number == Self.sharedQuery, message == "OK" { hasSharedGraphics = true }
        case .cellSize(let size): pixels.cell = size
        case .areaSize(let size): pixels.area = size
        case .mode(2026, let state): capabilities.hasSynchronizedOutput = state == 1 || state == 2
        case .mode: break
        case .colorRegisters(let count): if count > 0 { capabilities.colorRegisters = min(count, 256) }
        case .background(let color): capabilities.background = color
        case .ready, .cursor: break
        case .key(let key): keys.append(key)
        }
    }

    // MARK: Result

    /// The capabilities that are known so far. They are final after the fence, or when the time to wait has passed.
    package var result: TerminalCapabilities {
        var result = capabilities
        result.hasAnswered = isComplete
        result.size.cell = cell
        result.hasSharedMemory = hasGraphics && hasSharedGraphics
        result.hasPlaceholders = environment.isTmux
        result.protocols = protocols
        // tmux reduces colours that its own terminal is not known to have.
        if let tmux, !tmux.hasTrueColor, result.colors == .trueColor { result.colors = .palette256 }
        if result.background == nil, environment.hasBrightBackground == true { result.background = .white }
        return result
    }

    private var cell: PixelSize {
        // A detached tmux invents cells of 16 × 32 pixels.
        if let cell = pixels.cell, !(environment.isTmux && cell == PixelSize(width: 16, height: 32)) { return cell }
        guard let area = pixels.area else { return TerminalSize.assumedCell }
        // xterm counts its border, so the quotient is rounded down.
        return PixelSize(
            width: max(1, area.width / capabilities.size.columns), height: max(1, area.height / capabilities.size.rows))
    }

    private var protocols: [GraphicsProtocol] {
        var list: [GraphicsProtocol] = []
        let showsFiles = environment.claimsInlineImages && !environment.isTmux
        // WezTerm understands kitty's protocol only in part.
        if showsFiles, capabilities.name.hasPrefix("WezTerm") { list.append(.iterm2) }
        // A terminal that was started inside tmux inherits its variables, but reports another name.
        let isTmux = capabilities.name.hasPrefix("tmux ")
        if hasGraphics || isTmux && tmux?.hasPlaceholders == true { list.append(.kitty) }
        if showsFiles, !list.contains(.iterm2) { list.append(.iterm2) }
        // Attribute 4 of the device attributes is Sixel.
        if attributes?.dropFirst().contains(4) == true { list.append(.sixel) }
        return list + [.blocks, .quadrants]
    }
}
