package import TintypeCore

/// Draws one region: it knows what the terminal shows there, and writes only what changes.
///
/// It performs no output. Shared memory is its only effect, and is passed in.
package struct RegionRenderer {
    private let capabilities: TerminalCapabilities
    private let image: UInt32
    private var share: ([UInt8]) -> SharedPixels?
    private var size: TerminalSize
    private var sixel: SixelEncoder
    private var shown = Shown.nothing
    /// The cells that may show something of the region.
    private var shownRect: CellRect?
    /// Which of the two numbers of the image is shown by placeholders.
    private var showsSecondNumber = false

    /// The content that the terminal shows.
    private enum Shown {
        case nothing
        case kitty
        /// The number of the image in the terminal.
        case placeholders(UInt32)
        case sixel(IndexedPixels, CellRect)
        case cells(CellGrid, CellRect)
        /// Something that cannot be updated in part.
        case other
    }

    /// The bytes of a frame, and the shared memory that they name.
    package struct Output: Sendable {
        /// The bytes to write to the terminal.
        package var bytes: [UInt8] = []
        /// To be removed when the terminal has read the bytes.
        package var shared: [SharedPixels] = []
    }

    /// Creates the renderer of a region that shows nothing.
    ///
    /// - Parameters:
    ///   - capabilities: The first protocol is used.
    ///   - size: The size of the terminal.
    ///   - image: The number of the region's image in the terminal. Images of other programs share the range of
    ///     numbers.
    ///   - share: Puts bytes into shared memory; returns `nil` if that fails.
    package init(
        _ capabilities: TerminalCapabilities, size: TerminalSize, image: UInt32,
        share: @escaping ([UInt8]) -> SharedPixels? = { _ in nil }
    ) {
        self.capabilities = capabilities
        self.image = image
        self.share = share
        self.size = size
        sixel = SixelEncoder(registers: capabilities.colorRegisters)
    }

    /// Sends pixels inline from now on.
    package mutating func stopSharing() {
        share = { _ in nil }
    }

    /// Records that the screen has been cleared, perhaps because its size has changed.
    package mutating func forget(size: TerminalSize) {
        self.size = size
        shown = .nothing
        shownRect = nil
    }

    /// Returns the bytes that show a frame.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package mutating func draw(_ frame: RegionFrame) throws(TintypeError) -> Output {
        // A program may compute the rectangle from the size of the terminal, which the user has made small.
        guard frame.rect.span.columns > 0, frame.rect.span.rows > 0 else { return Output(bytes: clear()) }
        switch frame.content {
        case .nothing: return Output(bytes: clear())
        case .text(let lines): return Output(bytes: draw(lines, in: frame.rect))
        case .transition(let old, let new, let moment):
            let cell = capabilities.bestProtocol.symbols(capabilities.colors)?.pixels ?? size.cell
            let painter = LayerPainter(canvas: frame.rect.span.pixels(cell: cell))
            let layout = CellLayout(frame.rect.span, pixels: painter.canvas)
            return try draw(RegionFrame(.image(try painter.paint(old, new, moment), layout), in: frame.rect))
        case .image(let pixels, let layout):
            let rect = Self.rect(of: layout.span, in: frame.rect)
            let exact =
                pixels.size == layout.pixels ? pixels : try pixels.resampled(to: layout.pixels, filter: .lanczos3)
            guard let (shown, visible) = try cropped(exact, layout, rect) else { return Output(bytes: clear()) }
            return try draw(visible, in: shown)
        }
    }

    // MARK: Positions

    /// Returns the cells in the middle of a region.
    private static func rect(of span: CellSpan, in region: CellRect) -> CellRect {
        CellRect(
            column: region.column + max(0, region.span.columns - span.columns) / 2,
            row: region.row + max(0, region.span.rows - span.rows) / 2, span: span)
    }

    /// Returns the part of an image that is on the screen, and its cells; `nil` if there is none.
    private func cropped(
        _ pixels: PixelBuffer, _ layout: CellLayout, _ whole: CellRect
    ) throws(TintypeError) -> (CellRect, PixelBuffer)? {
        if whole.isInside(size) { return (whole, pixels) }
        guard let rect = whole.clipped(to: size) else { return nil }
        let cell = capabilities.bestProtocol.symbols(capabilities.colors)?.pixels ?? size.cell
        let part = PixelRect(
            x: (rect.column - whole.column) * cell.width, y: (rect.row - whole.row) * cell.height,
            size: rect.span.pixels(cell: cell)
        ).clipped(to: pixels.size)
        guard let part else { return nil }
        return (rect, try pixels.cropped(to: part))
    }

    // MARK: Protocols

    private mutating func draw(_ pixels: PixelBuffer, in rect: CellRect) throws(TintypeError) -> Output {
        switch capabilities.bestProtocol {
        case .kitty where capabilities.hasPlaceholders: return Output(bytes: try drawPlaceholders(pixels, in: rect))
        case .kitty: return try drawKitty(pixels, in: rect)
        case .sixel: return Output(bytes: try drawSixel(pixels, in: rect))
        case .iterm2: return Output(bytes: try drawFile(pixels, in: rect))
        case .blocks, .quadrants: return Output(bytes: try drawCells(pixels, in: rect))
        }
    }

    private mutating func drawKitty(_ pixels: PixelBuffer, in rect: CellRect) throws(TintypeError) -> Output {
        let data = try KittyPixels(pixels, compression: capabilities.isRemote ? .zlib : .none)
        let shared = capabilities.hasSharedMemory ? share(data.bytes) : nil
        // Without a span, the pixels are not scaled: they have been made for these cells.
        let command = KittyCommand.show(
            data, .init(image: image), by: shared.map { .sharedMemory(name: $0.name) } ?? .inline)
        // A new image replaces the former one, wherever it was. Text is not replaced.
        var output = Output(bytes: eraseUnlessKitty(rect))
        output.bytes.appendMove(column: rect.column, row: rect.row)
        output.bytes += command
        output.shared = shared.map { [$0] } ?? []
        shown = .kitty
        return output
    }

    private mutating func eraseUnlessKitty(_ rect: CellRect) -> [UInt8] {
        defer { shownRect = rect }
        if case .kitty = shown { return [] }
        return shownRect.map(Self.blank) ?? []
    }

    /// Shows pixels by placeholder characters, with the other of the region's two image numbers: a terminal need not
    /// redraw cells that do not change.
    private mutating func drawPlaceholders(_ pixels: PixelBuffer, in rect: CellRect) throws(TintypeError) -> [UInt8] {
        let data = try KittyPixels(pixels, compression: capabilities.isRemote ? .zlib : .none)
        let span = KittyPlaceholders.fitted(rect.span)
        showsSecondNumber.toggle()
        let number = KittyPlaceholders.number(of: image, isSecond: showsSecondNumber)
        var bytes = shownRect == rect ? [] : shownRect.map(Self.blank) ?? []
        bytes += KittyCommand.show(data, .init(image: number, span: span, isVirtual: true), through: .tmux)
        for row in 0..<span.rows {
            bytes.appendMove(column: rect.column, row: rect.row + row)
            bytes += KittyPlaceholders.row(row, columns: span.columns, number: number)
        }
        if case .placeholders(let former) = shown { bytes += KittyCommand.delete(image: former, through: .tmux) }
        shown = .placeholders(number)
        shownRect = rect
        return bytes
    }

    private mutating func drawSixel(_ pixels: PixelBuffer, in rect: CellRect) throws(TintypeError) -> [UInt8] {
        let visible = try aboveLastLine(pixels, at: rect.row)
        let indexed = try sixel.indexed(visible)
        var bytes: [UInt8] = []
        var part = PixelRect(x: 0, y: 0, size: indexed.size)
        if case .sixel(let former, rect) = shown, !indexed.erasesPixels(of: former) {
            guard let changed = indexed.changedRect(from: former) else { return [] }
            let cells = changed.alignedOutward(to: size.cell).clipped(to: indexed.size) ?? part
            // The bands of a part may end lower than those of the whole.
            if linesBelow(cells.y + SixelWriter.coveredHeight(cells.size.height), at: rect.row) >= 0 { part = cells }
        } else {
            bytes += eraseAll(except: indexed.isOpaque ? rect : nil)
        }
        shown = .sixel(indexed, rect)
        shownRect = rect
        // Terminals disagree on where a graphic leaves the cursor.
        bytes.append(ControlSequence.saveCursor)
        bytes.appendMove(column: rect.column + part.x / size.cell.width, row: rect.row + part.y / size.cell.height)
        bytes += SixelWriter.graphic(indexed, in: part)
        bytes.append(ControlSequence.restoreCursor)
        return bytes
    }

    /// Returns the part of a graphic whose bands end on the screen: the terminal would scroll if one of them did not.
    private func aboveLastLine(_ pixels: PixelBuffer, at row: Int) throws(TintypeError) -> PixelBuffer {
        let height = pixels.size.height
        guard linesBelow(SixelWriter.coveredHeight(height), at: row) < 0 else { return pixels }
        let whole = max(1, height - height % SixelWriter.bandHeight)
        return try pixels.cropped(to: PixelRect(x: 0, y: 0, size: PixelSize(width: pixels.size.width, height: whole)))
    }

    /// The lines of pixels between the end of a graphic that begins at a row and the end of the screen.
    private func linesBelow(_ height: Int, at row: Int) -> Int {
        (size.rows - row) * size.cell.height - height
    }

    private mutating func drawFile(_ pixels: PixelBuffer, in rect: CellRect) throws(TintypeError) -> [UInt8] {
        var bytes = eraseAll(except: rect)
        bytes.append(ControlSequence.saveCursor)
        bytes.appendMove(column: rect.column, row: rect.row)
        bytes += try ITermImage.show(pixels, span: rect.span)
        bytes.append(ControlSequence.restoreCursor)
        shown = .other
        shownRect = rect
        return bytes
    }

    private mutating func drawCells(_ pixels: PixelBuffer, in rect: CellRect) throws(TintypeError) -> [UInt8] {
        let symbols = capabilities.bestProtocol.symbols(capabilities.colors) ?? .halfBlocks
        let painter = CellPainter(symbols, colors: capabilities.colors, background: capabilities.background?.pixel)
        let grid = try painter.paint(pixels)
        var former: CellGrid?
        var bytes: [UInt8] = []
        if case .cells(let cells, rect) = shown { former = cells } else { bytes = eraseAll(except: rect) }
        bytes += CellWriter.update(grid, from: former, column: rect.column, row: rect.row)
        shown = .cells(grid, rect)
        shownRect = rect
        return bytes
    }

    // MARK: Text

    private mutating func draw(_ lines: [String], in region: CellRect) -> [UInt8] {
        var bytes = clear()
        let first = region.row + max(0, region.span.rows - lines.count) / 2
        for (index, line) in lines.prefix(region.span.rows).enumerated() {
            let text = line.printable.fitted(toCells: region.span.columns)
            guard (0..<size.rows).contains(first + index), region.column >= 0 else { continue }
            let indentation = max(0, region.span.columns - text.cellCount) / 2
            bytes.appendMove(column: region.column + indentation, row: first + index)
            bytes.append(text)
        }
        shown = .other
        shownRect = region.clipped(to: size)
        return bytes
    }

    // MARK: Erasing

    /// Returns the bytes that remove what is shown.
    package mutating func clear() -> [UInt8] {
        eraseAll(except: nil)
    }

    /// - Parameter rect: Cells that are drawn anew, all of them.
    private mutating func eraseAll(except rect: CellRect?) -> [UInt8] {
        defer {
            shown = .nothing
            shownRect = nil
        }
        if case .kitty = shown { return KittyCommand.delete(image: image) }
        let blanks = shownRect == rect ? [] : shownRect.map(Self.blank) ?? []
        if case .placeholders(let number) = shown {
            return blanks + KittyCommand.delete(image: number, through: .tmux)
        }
        return blanks
    }

    /// Returns the bytes that erase the characters of a rectangle, and the graphics in it.
    private static func blank(_ rect: CellRect) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in rect.row..<rect.row + rect.span.rows {
            bytes.appendMove(column: rect.column, row: row)
            bytes.append("\u{1B}[\(rect.span.columns)X")
        }
        return bytes
    }
}

extension CellRect {
    /// Returns the part that is on a screen; `nil` if there is none.
    func clipped(to size: TerminalSize) -> CellRect? {
        let bounds = PixelSize(width: size.columns, height: size.rows)
        let rect = PixelRect(x: column, y: row, size: PixelSize(width: span.columns, height: span.rows))
        guard let part = rect.clipped(to: bounds) else { return nil }
        return CellRect(column: part.x, row: part.y, columns: part.size.width, rows: part.size.height)
    }
}

extension PixelRect {
    /// Returns the smallest rectangle of whole cells that contains this one.
    fileprivate func alignedOutward(to cell: PixelSize) -> PixelRect {
        let (left, top) = (x / cell.width * cell.width, y / cell.height * cell.height)
        let right = (x + size.width + cell.width - 1) / cell.width * cell.width
        let bottom = (y + size.height + cell.height - 1) / cell.height * cell.height
        return PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
    }
}

extension IndexedPixels {
    /// Whether no pixel is transparent.
    fileprivate var isOpaque: Bool { !indices.contains(transparentIndex) }
}
