import Testing
import TintypeCore
import TintypeTesting
import TintypeViews

@testable import TintypeTerminal

/// The output of a region, frame after frame.
@Suite struct RegionRendererTests {
    private let size = TerminalSize(columns: 40, rows: 20, cell: PixelSize(width: 10, height: 20))
    private let rect = CellRect(column: 3, row: 2, columns: 12, rows: 6)

    private func renderer(
        _ graphics: GraphicsProtocol, share: @escaping ([UInt8]) -> SharedPixels? = { _ in nil }
    ) -> RegionRenderer {
        var capabilities = TerminalCapabilities(size: size, colors: .trueColor)
        capabilities.protocols = [graphics]
        return RegionRenderer(capabilities, size: size, image: 900, share: share)
    }

    private func frame(_ pixels: PixelBuffer, _ graphics: GraphicsProtocol, _ rect: CellRect? = nil) throws
        -> RegionFrame
    {
        let symbols = graphics.symbols(.trueColor)
        let rect = rect ?? self.rect
        let layout = CellLayout(pixels.size, within: rect.span, cell: size.cell, symbols: symbols)
        return RegionFrame(.image(try pixels.resampled(to: layout.pixels, filter: .box), layout), in: rect)
    }

    private func moves(_ bytes: [UInt8]) throws -> [String] {
        try SequenceReader.items(bytes).compactMap { item in
            if case .control(let position, "H") = item { position } else { nil }
        }
    }

    // MARK: Cells

    @Test func cellsAreCentredAndUpdated() throws {
        var renderer = renderer(.blocks)
        var terminal = CellDecoder(columns: 40, rows: 20)
        let (first, second) = (try TestImages.photo(60, 60), try TestImages.photo(60, 60, phase: 0.1))
        let bytes = try renderer.draw(try frame(first, .blocks)).bytes
        try terminal.write(bytes)
        // A square of six rows has twelve columns.
        #expect(terminal.writtenCells == 72 && terminal.grid[2, 2] == .empty && terminal.grid[3, 2] != .empty)
        let update = try renderer.draw(try frame(second, .blocks)).bytes
        #expect(!update.isEmpty && update.count < bytes.count)
        #expect(try renderer.draw(try frame(second, .blocks)).bytes.isEmpty)
    }

    @Test func aSmallerImageErasesTheRest() throws {
        var renderer = renderer(.blocks)
        _ = try renderer.draw(try frame(try TestImages.photo(60, 60), .blocks))
        let bytes = try renderer.draw(try frame(try TestImages.photo(8, 8), .blocks)).bytes
        let erasures = try SequenceReader.items(bytes).count { $0 == .control("12", "X") }
        #expect(erasures == 6)
    }

    // MARK: kitty

    @Test func kittyReplacesTheImageOfTheRegion() throws {
        var renderer = renderer(.kitty)
        for phase in [0.0, 0.2] {
            let bytes = try renderer.draw(try frame(try TestImages.photo(120, 120, phase: phase), .kitty)).bytes
            let commands = try KittyDecoder.commands(bytes)
            #expect(commands.count == 1 && commands[0].keys["i"] == "900" && commands[0].keys["a"] == "T")
            #expect(try moves(bytes) == ["3;4"])
        }
        #expect(try KittyDecoder.commands(renderer.clear()).map { $0.keys["d"] } == ["I"])
        #expect(renderer.clear().isEmpty)
    }

    @Test func sharedMemoryIsUsedIfItIsOffered() throws {
        var capabilities = TerminalCapabilities(size: size, colors: .trueColor)
        capabilities.protocols = [.kitty]
        capabilities.hasSharedMemory = true
        var renderer = RegionRenderer(capabilities, size: size, image: 1) { try? SharedPixels($0) }
        let output = try renderer.draw(try frame(try TestImages.photo(120, 120), .kitty))
        defer { for object in output.shared { object.remove() } }
        #expect(output.shared.count == 1 && output.bytes.count < 200)
        // Without any left, the pixels are sent inline.
        var inline = RegionRenderer(capabilities, size: size, image: 1) { _ in nil }
        #expect(try inline.draw(try frame(try TestImages.photo(120, 120), .kitty)).bytes.count > 20_000)
    }

    // MARK: Sixel

    @Test func sixelsOfAnAnimationAreOnlyTheChangedCells() throws {
        var renderer = renderer(.sixel)
        let image = try TestImages.photo(120, 120)
        let changed = try PixelBuffer.drawn(image.size) { x, y in
            (55..<58).contains(x) && (45..<62).contains(y) ? Pixel(red: 255, green: 255, blue: 255) : image[x, y]
        }
        _ = try renderer.draw(try frame(image, .sixel))
        let bytes = try renderer.draw(try frame(changed, .sixel)).bytes
        // Columns 50 to 59 and rows 40 to 79 of the image: one cell wide, two high, at its column 5 and row 2.
        #expect(try SixelDecoder(bytes).size == PixelSize(width: 10, height: 40))
        #expect(try moves(bytes) == ["5;9"])
        #expect(try renderer.draw(try frame(changed, .sixel)).bytes.isEmpty)
    }

    @Test func sixelsThatVanishAreErased() throws {
        var renderer = renderer(.sixel)
        _ = try renderer.draw(try frame(try TestImages.photo(40, 40), .sixel))
        let bytes = try renderer.draw(try frame(try TestImages.translucentDisc(40), .sixel)).bytes
        let items = try SequenceReader.items(bytes)
        #expect(items.count { $0 == .control("4", "X") } == 2)
        #expect(try SixelDecoder(bytes).size == PixelSize(width: 40, height: 40))
    }

    // MARK: Edges

    /// A region that is scrolled beyond an edge shows the part that is left.
    @Test(arguments: [GraphicsProtocol.blocks, .kitty, .sixel, .iterm2])
    func partsBeyondTheScreenAreCutOff(_ graphics: GraphicsProtocol) throws {
        let image = try TestImages.photo(120, 120)
        for (row, first) in [(-4, "1;4"), (17, "18;4")] {
            var renderer = renderer(graphics)
            let rect = CellRect(column: 3, row: row, columns: 12, rows: 6)
            let bytes = try renderer.draw(try frame(image, graphics, rect)).bytes
            #expect(try moves(bytes).first == first)
            if graphics == .kitty {
                #expect(try KittyDecoder.commands(bytes).first?.keys["v"] == (row < 0 ? "40" : "60"))
            }
        }
        var renderer = renderer(graphics)
        let outside = CellRect(column: 3, row: -6, columns: 12, rows: 6)
        #expect(try renderer.draw(try frame(image, graphics, outside)).bytes.isEmpty)
    }

    /// A program may compute the rectangle from the size of the terminal.
    @Test(arguments: [CellSpan(columns: -10, rows: 4), CellSpan(columns: 4, rows: -1), CellSpan(columns: 0, rows: 0)])
    func aRegionWithoutCellsShowsNothing(_ span: CellSpan) throws {
        let rect = CellRect(column: 3, row: 2, span: span)
        let image = try TestImages.photo(8, 8)
        let layout = CellLayout(CellSpan(columns: 1, rows: 1), pixels: image.size)
        let moment = TransitionImage(pixels: image, layout: layout)
        for content in [
            RegionContent.image(image, layout), .text(["a", "b"]), .transition(moment, moment, .end), .nothing,
        ] {
            var renderer = renderer(.blocks)
            #expect(try renderer.draw(RegionFrame(content, in: rect)).bytes.isEmpty)
            _ = try renderer.draw(try frame(image, .blocks))
            #expect(try !renderer.draw(RegionFrame(content, in: rect)).bytes.isEmpty)
        }
    }

    /// A cell has 17 lines of pixels, so the bands of six lines end below those of the cells.
    @Test func sixelsAtTheEndOfTheScreenDoNotScrollIt() throws {
        let size = TerminalSize(columns: 40, rows: 20, cell: PixelSize(width: 10, height: 17))
        var capabilities = TerminalCapabilities(size: size, colors: .trueColor)
        capabilities.protocols = [.sixel]
        var renderer = RegionRenderer(capabilities, size: size, image: 1)
        let rect = CellRect(column: 0, row: 15, columns: 12, rows: 5)
        let image = try TestImages.photo(120, 85)
        let layout = CellLayout(image.size, within: rect.span, cell: size.cell, symbols: nil)
        let bytes = try renderer.draw(RegionFrame(.image(image, layout), in: rect)).bytes
        #expect(try SixelDecoder(bytes).size == PixelSize(width: 120, height: 84))
        // A part from line 68 on would end at line 86 with its bands.
        let changed = try PixelBuffer.drawn(image.size) { x, y in
            y > 70 && x < 5 ? Pixel(red: 255, green: 255, blue: 255) : image[x, y]
        }
        let update = try renderer.draw(RegionFrame(.image(changed, layout), in: rect)).bytes
        let height = try SixelDecoder(update).size.height
        let row = try #require(try moves(update).first?.split(separator: ";").first.flatMap { Int($0) })
        #expect((row - 1) * 17 + (height + 5) / 6 * 6 <= 20 * 17)
    }

    @Test func textIsCentredAndHasNoControlCharacters() throws {
        var renderer = renderer(.kitty)
        _ = try renderer.draw(try frame(try TestImages.photo(120, 120), .kitty))
        let bytes = try renderer.draw(RegionFrame(.text(["ab\u{1B}[2J"]), in: rect)).bytes
        let items = try SequenceReader.items(bytes)
        #expect(items.contains(.text(Array("ab\\u{1B}[2J".utf8))))
        #expect(try KittyDecoder.commands(bytes).first?.keys["a"] == "d")
    }
}
