package import TintypeCore

/// Turns pixels into characters.
package struct CellPainter: Sendable {
    private let symbols: CellSymbols
    private let palette: TerminalPalette
    private let background: Pixel?

    /// Creates a painter.
    ///
    /// - Parameters:
    ///   - symbols: The characters to use.
    ///   - colors: The colours of the terminal. Without colours, all cells are shades.
    ///   - background: The background of the terminal, over which translucent pixels are blended; `nil` if it is
    ///     unknown.
    package init(_ symbols: CellSymbols, colors: ColorDepth, background: Pixel?) {
        self.symbols = colors == .none ? .shades : symbols
        self.background = background
        palette = TerminalPalette(colors)
    }

    /// Returns the characters of an image, one for each block of ``CellSymbols/pixels``. Pixels beyond the edge are
    /// transparent.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func paint(_ pixels: PixelBuffer) throws(TintypeError) -> CellGrid {
        let block = symbols.pixels
        let source = try SolidPixels(pixels, over: background)
        var grid = CellGrid(
            span: CellSpan(
                columns: (pixels.size.width + block.width - 1) / block.width,
                rows: (pixels.size.height + block.height - 1) / block.height))
        for row in 0..<grid.span.rows {
            for column in 0..<grid.span.columns { grid[column, row] = cell(source, column, row) }
        }
        return grid
    }

    private func cell(_ source: SolidPixels, _ column: Int, _ row: Int) -> Cell {
        switch symbols {
        case .shades: shade(source, column, row)
        case .halfBlocks: halfBlock(source, column, row)
        case .quadrants: quadrant(source, column, row)
        }
    }

    // MARK: Shades

    private static let shades: [Unicode.Scalar] = [" ", "░", "▒", "▓", "█"]
    private static let shadePattern = DitherPattern(amplitude: 48)

    /// Returns a shade. On a dark or unknown background, brighter pixels fill more of the cell; on a bright background,
    /// less.
    private func shade(_ source: SolidPixels, _ column: Int, _ row: Int) -> Cell {
        guard let word = source[column, row] else { return .empty }
        // The luma of Rec. 709, in 256ths.
        let luma = (54 * (word & 255) + 183 * (word >> 8 & 255) + 19 * (word >> 16 & 255)) >> 8
        let level = min(max(Int(luma) + Int(Self.shadePattern.offset(x: column, y: row)), 0), 255)
        let isBright = background.map { Int($0.red) + Int($0.green) + Int($0.blue) > 3 * 127 } ?? false
        return Cell(Self.shades[((isBright ? 255 - level : level) * 4 + 127) / 255])
    }

    // MARK: Half blocks

    private func halfBlock(_ source: SolidPixels, _ column: Int, _ row: Int) -> Cell {
        let (top, bottom) = (color(source, column, 2 * row), color(source, column, 2 * row + 1))
        switch (top, bottom) {
        case (nil, nil): return .empty
        case (let top?, nil): return Cell("▀", foreground: top)
        case (nil, let bottom?): return Cell("▄", foreground: bottom)
        case (let top?, let bottom?):
            return top == bottom ? Cell(" ", background: top) : Cell("▄", foreground: bottom, background: top)
        }
    }

    private func color(_ source: SolidPixels, _ x: Int, _ y: Int) -> CellColor? {
        source[x, y].map { palette.color($0, x: x, y: y) }
    }

    // MARK: Quadrants

    /// The character for each mask of the quarters that have the foreground colour: top left 1, top right 2, bottom
    /// left 4, bottom right 8.
    private static let quarters: [Unicode.Scalar] = [
        " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█",
    ]

    private func quadrant(_ source: SolidPixels, _ column: Int, _ row: Int) -> Cell {
        let (x, y) = (2 * column, 2 * row)
        let words = [source[x, y], source[x + 1, y], source[x, y + 1], source[x + 1, y + 1]]
        let visible = words.indices.reduce(0) { words[$1] == nil ? $0 : $0 | 1 << $1 }
        if visible == 0 { return .empty }
        if visible != 15 { return partly(words, visible, x: x, y: y) }
        let quarters = QuarterColors(words.compactMap { $0 })
        let mask = quarters.bestMask
        let background = palette.color(quarters.mean(of: 15 & ~mask), x: x, y: y)
        if mask == 0 { return Cell(" ", background: background) }
        let foreground = palette.color(quarters.mean(of: mask), x: x, y: y)
        return foreground == background
            ? Cell(" ", background: background)
            : Cell(Self.quarters[mask], foreground: foreground, background: background)
    }

    /// Returns a cell with transparent quarters, whose visible ones share one colour.
    private func partly(_ words: [UInt32?], _ visible: Int, x: Int, y: Int) -> Cell {
        let mean = QuarterColors(words.map { $0 ?? 0 }).mean(of: visible)
        return Cell(Self.quarters[visible], foreground: palette.color(mean, x: x, y: y))
    }
}

/// The four pixels of a cell, and how two colours show them best.
private struct QuarterColors {
    private let colors: [SIMD3<Int32>]

    init(_ words: [UInt32]) {
        colors = words.map { SIMD3(Int32($0 & 255), Int32($0 >> 8 & 255), Int32($0 >> 16 & 255)) }
    }

    /// The mask of foreground quarters with the smallest sum of squared distances from the mean colour of each group.
    /// The top left quarter is always in the background: exchanging the colours makes no difference.
    var bestMask: Int {
        var (best, least) = (0, error(of: 15))
        for mask in stride(from: 2, to: 16, by: 2) {
            let sum = error(of: mask) + error(of: 15 & ~mask)
            if sum < least { (best, least) = (mask, sum) }
        }
        return best
    }

    /// The mean colour of the quarters of a mask as an opaque pixel.
    func mean(of mask: Int) -> UInt32 {
        let (sum, count) = sum(of: mask)
        let mean = (sum &+ SIMD3(repeating: count / 2)) / SIMD3(repeating: max(1, count))
        return UInt32(mean.x) | UInt32(mean.y) << 8 | UInt32(mean.z) << 16 | 0xFF00_0000
    }

    /// The sum of the squared distances from the mean.
    private func error(of mask: Int) -> Int32 {
        let (sum, count) = sum(of: mask)
        guard count > 0 else { return 0 }
        var squares: Int32 = 0
        for index in 0..<4 where mask >> index & 1 == 1 { squares += (colors[index] &* colors[index]).wrappedSum() }
        return squares - (sum &* sum).wrappedSum() / count
    }

    private func sum(of mask: Int) -> (SIMD3<Int32>, Int32) {
        var (sum, count) = (SIMD3<Int32>(), Int32(0))
        for index in 0..<4 where mask >> index & 1 == 1 {
            sum &+= colors[index]
            count += 1
        }
        return (sum, count)
    }
}

/// Pixels that are either opaque or fully transparent.
private struct SolidPixels {
    private let pixels: PixelBuffer

    /// Blends translucent pixels over a background. Without one, those that are at least half opaque become opaque.
    /// Transparent pixels stay transparent, so that the terminal shows its own background, which may be an image.
    init(_ pixels: PixelBuffer, over background: Pixel?) throws(TintypeError) {
        guard let background, !pixels.isOpaque else {
            self.pixels = try pixels.withBinaryAlpha()
            return
        }
        let blended = try pixels.flattened(on: background)
        self.pixels = try .makeRows(pixels.size) { y, row in
            pixels.withWords(y) { source in
                blended.withWords(y) { blended in
                    for x in row.indices { row[x] = source[x] >> 24 == 0 ? 0 : blended[x] }
                }
            }
        }
    }

    /// The opaque pixel at a position; `nil` if it is transparent or beyond the edge.
    subscript(x: Int, y: Int) -> UInt32? {
        guard x < pixels.size.width, y < pixels.size.height else { return nil }
        let word = pixels.withWords(y) { $0[x] }
        return word == 0 ? nil : word
    }
}
