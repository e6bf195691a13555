import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypePNG
import TintypeTesting

@testable import TintypeTerminal

/// Output that other programs read: those that are not installed are left out.
@Suite(.timeLimited) struct JudgeTests {
    private static func isInstalled(_ program: String) -> Bool {
        ["/usr/bin", "/usr/local/bin", "/bin"].contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Runs a script in a directory of its own, which holds `input`, and returns its file `output`.
    private func output(of script: String, input: [UInt8]) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-judge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(input).write(to: folder.appending(path: "input"))
        let path = folder.path(percentEncoded: false)
        let result = CommandOutput.read(["sh", "-c", "cd '\(path)' && { \(script); }"], within: .seconds(600))
        try #require(result != nil)
        return try Data(contentsOf: folder.appending(path: "output"))
    }

    @Test(.enabled(if: isInstalled("sixel2png")), arguments: [(256, 31.0), (16, 18.0)])
    func libsixelReadsOurGraphics(_ registers: Int, _ mark: Double) throws {
        let image = try TestImages.photo(97, 61)
        var encoder = SixelEncoder(registers: registers)
        let graphic = SixelWriter.graphic(try encoder.indexed(image), in: PixelRect(x: 0, y: 0, size: image.size))
        let file = try output(of: "sixel2png -i input -o output >&2", input: graphic)
        let decoded = try PNGDecoder().decode(file, context: DecodeContext()).pixels
        #expect(decoded.size == image.size)
        let colors = decoded.colors(in: PixelRect(x: 0, y: 0, size: image.size))
        #expect(peakSignalToNoiseRatio(image, colors) >= mark)
    }

    /// Returns the first lines of a pane of tmux of 60 × 30 cells.
    private func linesOfTmux(showing bytes: [UInt8], rows: Int) throws -> [[UInt8]] {
        // tmux answers the request for the status when it has shown what comes before.
        let script = """
            printf '%s\n' '#!/bin/sh' 'cat input; stty -icanon -echo; printf "\\033[5n"; head -c 4 > answer' \\
                'tmux -S ./socket wait-for -S shown; exec sleep 600' > pane
            chmod +x pane
            tmux() { command tmux -u -S ./socket -f /dev/null "$@"; }
            tmux new-session -d -x 60 -y 30 './pane'
            tmux wait-for shown
            tmux capture-pane -e -p -E \(rows - 1) > output
            tmux kill-server
            """
        let captured = try output(of: script, input: bytes)
        let lines = Array(captured).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.prefix(rows).map(Array.init)
    }

    /// Placeholders are characters with three marks, which tmux must keep.
    @Test(.enabled(if: isInstalled("tmux"))) func tmuxShowsOurPlaceholders() throws {
        var capabilities = TerminalCapabilities(
            size: TerminalSize(columns: 60, rows: 30, cell: PixelSize(width: 4, height: 6)), colors: .palette256)
        capabilities.protocols = [.kitty]
        capabilities.hasPlaceholders = true
        let grid = InlineGrid(capabilities, columns: 2)
        let items = try [(100, 60), (40, 30)].enumerated().map { index, size in
            let image = try TestImages.photo(size.0, size.1)
            return InlineGrid.Item(image, grid.layout(image.size), name: "", number: UInt32(index))
        }
        let bytes = try grid.show(items).bytes
        var written = PlaceholderTerminal(columns: 60, rows: 30)
        try written.write(bytes)
        var shown = PlaceholderTerminal(columns: 60, rows: 30)
        for (row, line) in try linesOfTmux(showing: bytes, rows: 30).enumerated() {
            try shown.write(Array("\u{1B}[\(row + 1);1H".utf8) + line)
        }
        #expect(shown.parts == written.parts)
        #expect(shown.parts.joined().count { $0 != nil } == 25 * 10 + 10 * 5)
    }

    /// tmux keeps colours as they were written, and prints them again.
    @Test(.enabled(if: isInstalled("tmux")), arguments: [CellSymbols.halfBlocks, .quadrants])
    func tmuxShowsOurCells(_ symbols: CellSymbols) throws {
        let image = try TestImages.photo(40, 30)
        let grid = try CellPainter(symbols, colors: .trueColor, background: nil).paint(image)
        let lines = try linesOfTmux(showing: CellWriter.lines(grid), rows: grid.span.rows)
        var terminal = CellDecoder(columns: 60, rows: 30)
        for (row, line) in lines.enumerated() {
            try terminal.write(Array("\u{1B}[\(row + 1);1H".utf8) + Array(line))
        }
        for row in 0..<grid.span.rows {
            for column in 0..<grid.span.columns {
                let (shown, cell) = (terminal.grid[column, row], grid[column, row])
                #expect(shown.symbol == cell.symbol && shown.background == cell.background, "\(column) \(row)")
                if cell.symbol != " " { #expect(shown.foreground == cell.foreground) }
            }
        }
    }
}
