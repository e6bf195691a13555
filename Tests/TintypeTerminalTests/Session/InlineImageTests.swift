import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// Images among the text of a shell.
@Suite struct InlineImageTests {
    private func capabilities(_ graphics: GraphicsProtocol) -> TerminalCapabilities {
        var capabilities = TerminalCapabilities(
            size: TerminalSize(columns: 40, rows: 20, cell: PixelSize(width: 10, height: 20)), colors: .trueColor)
        capabilities.protocols = [graphics]
        return capabilities
    }

    private func controls(_ bytes: [UInt8]) throws -> [String] {
        try SequenceReader.items(bytes).compactMap { item in
            switch item {
            case .control(let parameters, let final): "\(parameters)\(final)"
            case .escape(let character): "ESC\(character)"
            case .string(let introducer, _): "\(introducer)…"
            case .text: nil
            }
        }
    }

    /// Rows are reserved first, so that the screen has scrolled before the graphic is drawn, and the cursor ends below
    /// it.
    @Test(arguments: [(GraphicsProtocol.kitty, "_…"), (.sixel, "P…"), (.iterm2, "]…")])
    func graphicsReserveTheirRows(_ graphics: GraphicsProtocol, _ graphic: String) throws {
        let writer = InlineImage(capabilities(graphics))
        let image = try TestImages.photo(50, 45)
        let layout = writer.layout(image.size)
        #expect(layout.span == CellSpan(columns: 5, rows: 3) && layout.pixels == image.size)
        let bytes = try writer.show(image, layout, image: 7).bytes
        #expect(bytes.starts(with: "\r\n\r\n\r\n".utf8) && bytes.last == UInt8(ascii: "\r"))
        let controls = try controls(bytes).filter { $0 != graphic }
        #expect(controls == ["3A", "ESC7", "ESC8", "3B"])
    }

    @Test func anImageIsNoHigherThanTheScreen() {
        let layout = InlineImage(capabilities(.kitty)).layout(PixelSize(width: 100, height: 9000))
        #expect(layout.span.rows == 18)
    }

    /// The frames are put together as kitty does, and compared with those of the animation.
    @Test func kittyPlaysWhatWasEncoded() throws {
        let frames = try (0..<4).map { TimedImage(try TestImages.photo(40, 30, phase: Double($0) / 20), duration: 0.1) }
        let animation = try AnimatedImage(frames, loopCount: 3)
        let writer = InlineImage(capabilities(.kitty))
        let first = try writer.show(animation.poster, writer.layout(animation.size), image: 9)
        var parts: [[UInt8]] = []
        let count = try writer.animate(animation, loopCount: 3, image: 9) { parts.append($0.bytes) }
        // Each frame is written before the next one is made, so that an animation needs little memory.
        #expect(count == 4 && parts.count == 4)
        let commands = try KittyDecoder.commands(first.bytes + parts.joined())
        #expect(commands.map { $0.keys["a"] } == ["T", "f", "f", "f", "a", "a"])
        #expect(commands.last?.keys["v"] == "4")
        var canvas = try KittyDecoder.colors(commands[0])
        for (index, command) in commands[1...3].enumerated() {
            #expect(command.keys["c"] == "\(index + 1)" && command.keys["z"] == "100")
            let (x, y) = (try #require(Int(command.keys["x"] ?? "")), try #require(Int(command.keys["y"] ?? "")))
            let width = try #require(Int(command.keys["s"] ?? ""))
            let colors = try KittyDecoder.colors(command)
            #expect(colors.count < 40 * 30)
            for (offset, color) in colors.enumerated() {
                canvas[(y + offset / width) * 40 + x + offset % width] = color
            }
            let pixels = frames[index + 1].pixels
            #expect(canvas == pixels.colors(in: PixelRect(x: 0, y: 0, size: pixels.size)))
        }
    }

    @Test func aFileIsPassedOnToATerminalThatPlaysIt() throws {
        let writer = InlineImage(capabilities(.iterm2))
        let bytes = writer.show(file: Data("GIF89a".utf8), writer.layout(PixelSize(width: 30, height: 20))).bytes
        let command = "1337;File=inline=1;size=6;width=3;height=1;preserveAspectRatio=1:R0lGODlh"
        #expect(try SequenceReader.items(bytes).contains(.string("]", Array(command.utf8))))
    }

    @Test func aStillAnimationHasNoFrames() throws {
        let animation = try AnimatedImage([TimedImage(try TestImages.photo(8, 8), duration: 0.1)])
        var bytes: [UInt8] = []
        let count = try InlineImage(capabilities(.kitty)).animate(animation, loopCount: 0, image: 9) {
            bytes += $0.bytes
        }
        #expect(count == 1)
        #expect(try KittyDecoder.commands(bytes).allSatisfy { $0.keys["a"] == "a" })
    }

    @Test func anAnimationThatIsTooLargeForTheTerminalPlaysItsFirstFrames() throws {
        let frames = try (0..<6).map { TimedImage(try TestImages.photo(40, 30, phase: Double($0) / 20), duration: 0.1) }
        let animation = try AnimatedImage(frames)
        var bytes: [UInt8] = []
        let count = try InlineImage(capabilities(.kitty)).animate(
            animation, loopCount: 0, image: 9, limit: 3 * animation.poster.byteCount
        ) { bytes += $0.bytes }
        #expect(count == 3)
        #expect(try KittyDecoder.commands(bytes).map { $0.keys["a"] } == ["f", "f", "a", "a"])
    }

    @Test func theFramesBeforeADamagedOnePlay() throws {
        let frames = try (0..<4).map { TimedImage(try TestImages.photo(40, 30, phase: Double($0) / 20), duration: 0.1) }
        let made = Shared(0)
        let animation = try AnimatedImage(frames).transformed(by: FailingTransformer(made: made, limit: 2))
        made.withLock { $0 = 0 }
        var bytes: [UInt8] = []
        expectError(.undecodable) {
            try InlineImage(self.capabilities(.kitty)).animate(animation, loopCount: 0, image: 9) { bytes += $0.bytes }
        }
        #expect(try KittyDecoder.commands(bytes).map { $0.keys["a"] } == ["f", "f", "a", "a"])
    }

    @Test func aCancelledAnimationPlaysTheFramesBefore() throws {
        let frames = try (0..<4).map { TimedImage(try TestImages.photo(40, 30, phase: Double($0) / 20), duration: 0.1) }
        let animation = try AnimatedImage(frames)
        let parts = Shared<[[UInt8]]>([])
        expectError(.cancelled) {
            try InlineImage(self.capabilities(.kitty)).animate(animation, loopCount: 0, image: 9) { output in
                parts.withLock { $0.append(output.bytes) }
            } isCancelled: {
                parts.now.count == 2
            }
        }
        #expect(try KittyDecoder.commands(Array(parts.now.joined())).map { $0.keys["a"] } == ["f", "f", "a", "a"])
    }

    /// Fails after some frames.
    private struct FailingTransformer: ImageTransformer {
        let made: Shared<Int>
        let limit: Int
        var identifier: String { "failing" }

        func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
            let count = made.withLock { made in
                made += 1
                return made
            }
            guard count <= limit else { throw TintypeError(.undecodable, stage: .decode, "test") }
            return pixels
        }
    }

    // MARK: Grid

    @Test func aGridOfCharactersHasNamesBelowImages() throws {
        var colorless = capabilities(.blocks)
        colorless.colors = .none
        let grid = InlineGrid(colorless, columns: 2)
        let white = try PixelBuffer.filled(
            Pixel(red: 255, green: 255, blue: 255), size: PixelSize(width: 400, height: 100))
        let layout = grid.layout(white.size)
        #expect(layout.span == CellSpan(columns: 19, rows: 2))
        let pixels = try white.resampled(to: layout.pixels, filter: .box)
        let items = [
            InlineGrid.Item(pixels, layout, name: "a\u{1B}.png", number: 1),
            InlineGrid.Item(nil, layout, name: String(repeating: "x", count: 99), number: 2),
        ]
        let text = String(decoding: try grid.show(items).bytes, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[3] == "")
        let bar = String(repeating: "█", count: 19)
        #expect(lines[0].hasPrefix(bar) && lines[1].hasPrefix(bar))
        #expect(lines[2].hasPrefix("    a\\u{1B}.png "))
        #expect(lines[2].hasSuffix("x…") && lines[2].count <= 40)
    }

    /// Characters such as 写 need two cells, and combining marks none.
    @Test func namesAreMeasuredInCells() throws {
        var colorless = capabilities(.blocks)
        colorless.colors = .none
        let grid = InlineGrid(colorless, columns: 2)
        let layout = grid.layout(PixelSize(width: 1, height: 1))
        let names = [String(repeating: "写", count: 30), "e\u{301}\u{301}.png"]
        let items = names.map { InlineGrid.Item(nil, layout, name: $0, number: 1) }
        let text = String(decoding: try grid.show(items).bytes, as: UTF8.self)
        // Nine of the wide characters and an ellipsis fill 19 cells; five cells are in the middle of the next 19.
        #expect(text.hasSuffix(String(repeating: "写", count: 9) + "… " + "       e\u{301}\u{301}.png\r\n"))
    }

    @Test(arguments: [
        ("abc", 3), ("写真.jpg", 8), ("é", 1), ("e\u{301}", 1), ("한글", 4), ("😀", 2), ("ｱ", 1), ("Ａ", 2), ("", 0),
        ("❤\u{FE0F}", 1),
    ])
    func textsHaveTheWidthOfTheirCharacters(_ text: String, _ count: Int) {
        #expect(text.cellCount == count)
        #expect(
            text.fitted(toCells: count) == text && text.fitted(toCells: max(0, count - 1)).cellCount < max(1, count))
    }

    /// Marks need no cells, so they are counted as well.
    @Test func aNameOfManyMarksIsCutOff() {
        let name = "a" + String(repeating: "\u{300}", count: 100_000)
        #expect(name.fitted(toCells: 10).unicodeScalars.count <= 41)
    }

    @Test func aGridOfGraphicsPlacesEachInItsColumn() throws {
        let grid = InlineGrid(capabilities(.kitty), columns: 4)
        let items = try [100, 50].enumerated().map { index, side in
            let image = try TestImages.photo(side, side)
            let layout = grid.layout(image.size)
            return InlineGrid.Item(
                try image.resampled(to: layout.pixels, filter: .box), layout, name: "\(side)", number: UInt32(index))
        }
        let bytes = try grid.show(items).bytes
        // The first is eight columns wide and four rows high, the second five and three; both stand on the same line.
        #expect(try KittyDecoder.commands(bytes).map { $0.keys["i"] } == ["0", "1"])
        let moves = try controls(bytes).filter { $0.hasSuffix("C") || $0.hasSuffix("B") }
        #expect(moves == ["1B", "12C", "4B"])
    }

    @Test func theImagesOfAGridAreWhereItSays() throws {
        let grid = InlineGrid(capabilities(.blocks), columns: 2)
        let items = try [(10, 4), (4, 8)].map { width, height in
            let layout = grid.layout(PixelSize(width: width, height: height))
            let pixels = try PixelBuffer.filled(Pixel(red: 9, green: 9, blue: 9), size: layout.pixels)
            return InlineGrid.Item(pixels, layout, name: "", number: 1)
        }
        var terminal = CellDecoder(columns: 40, rows: 20)
        try terminal.write(try grid.show(items).bytes)
        #expect(grid.lineCount(items) == 5)
        let rects = items.indices.map { grid.rect(of: $0, in: items) }
        #expect(
            rects == [
                CellRect(column: 4, row: 2, columns: 10, rows: 2), CellRect(column: 27, row: 0, columns: 4, rows: 4),
            ])
        for row in 0..<20 {
            for column in 0..<40 {
                let isInside = rects.contains {
                    ($0.column..<$0.column + $0.span.columns).contains(column)
                        && ($0.row..<$0.row + $0.span.rows).contains(row)
                }
                #expect((terminal.grid[column, row].background != .standard) == isInside, "\(column) \(row)")
            }
        }
    }

    /// Lines that are wrapped would move everything below.
    @Test func aNarrowTerminalHasFewerColumns() {
        let grid = InlineGrid(capabilities(.blocks), columns: 100)
        #expect(grid.columns == 20 && grid.limit.columns == 1)
    }

    @Test func aGridPassesFilesOnToATerminalThatPlaysThem() throws {
        let grid = InlineGrid(capabilities(.iterm2), columns: 2)
        let image = try TestImages.photo(30, 20)
        let layout = grid.layout(image.size)
        let item = InlineGrid.Item(image, layout, name: "", number: 1, file: Data("GIF89a".utf8))
        let strings = try SequenceReader.items(try grid.show([item]).bytes).compactMap { item in
            if case .string("]", let content) = item { String(decoding: content, as: UTF8.self) } else { nil }
        }
        #expect(strings == ["1337;File=inline=1;size=6;width=3;height=1;preserveAspectRatio=1:R0lGODlh"])
    }
}
