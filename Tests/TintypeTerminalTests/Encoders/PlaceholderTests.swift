import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// Images of kitty's protocol in tmux.
@Suite struct PlaceholderTests {
    private let cell = PixelSize(width: 4, height: 6)

    private var capabilities: TerminalCapabilities {
        var capabilities = TerminalCapabilities(
            size: TerminalSize(columns: 40, rows: 20, cell: cell), colors: .palette256)
        capabilities.protocols = [.kitty]
        capabilities.hasPlaceholders = true
        return capabilities
    }

    private func all(_ image: PixelBuffer) -> [Color?] {
        image.colors(in: PixelRect(x: 0, y: 0, size: image.size))
    }

    // MARK: Characters

    /// The rule of the specification, by the Unicode data of the standard library.
    @Test func theMarksAreThoseOfTheSpecification() throws {
        let merging: Set<UInt32> = [
            0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x309, 0x30A, 0x30B, 0x30C, 0x30F, 0x311, 0x313,
            0x314, 0x342, 0x653, 0x654,
        ]
        let marks = (0x300...0x10FFFF as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }.filter { scalar in
            let properties = scalar.properties
            guard properties.generalCategory == .nonspacingMark, properties.canonicalCombiningClass == .above,
                let age = properties.age, age.major < 6 || age == (6, 0), !merging.contains(scalar.value)
            else { return false }
            return Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars) == [scalar]
        }
        #expect(marks == KittyPlaceholders.marks)
        #expect(marks.count == 297 && marks.first == "\u{305}" && marks.last == "\u{1D244}")
    }

    /// tmux reduces colours of 24 bits, and has names of its own for the first 16.
    @Test func numbersAreInAColorAndAMark() throws {
        var numbers: Set<UInt32> = []
        for image in UInt32(0x4000_0000)..<0x4000_0000 + 30_600 {
            for isSecond in [false, true] {
                let number = KittyPlaceholders.number(of: image, isSecond: isSecond)
                numbers.insert(number)
                guard number & 0x00FF_FF00 == 0, number & 0xFF >= 16, number >> 24 > 0 else {
                    Issue.record("\(number)")
                    return
                }
            }
        }
        #expect(numbers.count == 61_200)
    }

    // MARK: Images

    @Test func anImageIsPutTogetherFromItsCells() throws {
        let image = try TestImages.photo(40, 30)
        let writer = InlineImage(capabilities)
        var terminal = PlaceholderTerminal(columns: 40, rows: 20)
        try terminal.write(try writer.show(image, writer.layout(image.size), image: 7).bytes)
        let rect = CellRect(column: 0, row: 0, columns: 10, rows: 5)
        #expect(try terminal.colors(in: rect, cell: cell) == all(image))
        #expect(terminal.parts.joined().count { $0 != nil } == 50)
    }

    /// The image fills the row, at whose end terminals keep the cursor in the last column.
    @Test func anImageMayFillTheRow() throws {
        let image = try TestImages.photo(160, 12)
        let writer = InlineImage(capabilities)
        let bytes = try writer.show(image, writer.layout(image.size), image: 7).bytes
        var terminal = PlaceholderTerminal(columns: 40, rows: 20)
        try terminal.write(bytes)
        let rect = CellRect(column: 0, row: 0, columns: 40, rows: 2)
        #expect(try terminal.colors(in: rect, cell: cell) == all(image))
        // Each row begins with a carriage return, which ends that state.
        #expect(String(decoding: bytes, as: UTF8.self).contains("\u{1B}[39m\r\u{1B}[B\u{1B}[38;5;"))
    }

    @Test func translucentPixelsAndLargeImagesArrive() throws {
        let image = try TestImages.translucentDisc(96)
        let writer = InlineImage(capabilities)
        var terminal = PlaceholderTerminal(columns: 40, rows: 20)
        let bytes = try writer.show(image, writer.layout(image.size), image: 7).bytes
        try terminal.write(bytes)
        let colors = try terminal.colors(in: CellRect(column: 0, row: 0, columns: 24, rows: 16), cell: cell)
        let unpremultiplied = try KittyDecoder.colors(
            try #require(try KittyDecoder.commands(KittyCommand.show(KittyPixels(image), .init(image: 1))).first))
        #expect(colors == unpremultiplied)
        // Each chunk is a string of its own: tmux drops strings above one megabyte.
        let strings = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\u{1B}Ptmux;").dropFirst()
        #expect(strings.count > 5 && strings.dropLast().allSatisfy { $0.utf8.count < 4300 })
    }

    @Test func aGridHasItsImagesInTheirColumns() throws {
        let grid = InlineGrid(capabilities, columns: 2)
        let images = [try TestImages.photo(40, 30), try TestImages.photo(16, 12, phase: 0.2)]
        let items = images.enumerated().map { index, image in
            InlineGrid.Item(image, grid.layout(image.size), name: "", number: UInt32(index))
        }
        var terminal = PlaceholderTerminal(columns: 40, rows: 20)
        try terminal.write(try grid.show(items).bytes)
        for (index, image) in images.enumerated() {
            let rect = grid.rect(of: index, in: items)
            #expect(try terminal.colors(in: rect, cell: cell) == all(image), "\(rect)")
        }
        #expect(terminal.parts.joined().count { $0 != nil } == 50 + 8)
    }

    @Test func anAnimationGoesThroughTmux() throws {
        let frames = try (0..<3).map { TimedImage(try TestImages.photo(40, 30, phase: Double($0) / 20), duration: 0.1) }
        let animation = try AnimatedImage(frames)
        let writer = InlineImage(capabilities)
        var terminal = PlaceholderTerminal(columns: 40, rows: 20)
        try terminal.write(try writer.show(animation.poster, writer.layout(animation.size), image: 9).bytes)
        _ = try writer.animate(animation, loopCount: 0, image: 9) { output throws(TintypeError) in
            do { try terminal.write(output.bytes) } catch {
                throw TintypeError(.undecodable, stage: .decode, "\(error)")
            }
        }
        #expect(terminal.commands.map { $0.keys["a"] } == ["T", "f", "f", "a", "a"])
        let number = try #require(terminal.parts[0][0]).number
        #expect(terminal.commands.allSatisfy { $0.keys["i"] == "\(number)" && $0.keys["q"] == "2" })
    }

    // MARK: Regions

    /// tmux and the terminal draw only cells that change, so each frame has another number; the former image is
    /// removed.
    @Test func eachFrameOfARegionReplacesTheFormerOne() throws {
        var renderer = RegionRenderer(capabilities, size: capabilities.size, image: 5)
        var terminal = PlaceholderTerminal(columns: 40, rows: 20)
        var rect = CellRect(column: 3, row: 2, columns: 10, rows: 5)
        var numbers: [UInt32] = []
        for index in 0..<4 {
            if index == 3 { rect.column += 4 }
            let image = try TestImages.photo(40, 30, phase: Double(index) / 10)
            let content = RegionContent.image(image, CellLayout(rect.span, pixels: image.size))
            try terminal.write(try renderer.draw(RegionFrame(content, in: rect)).bytes)
            #expect(try terminal.colors(in: rect, cell: cell) == all(image))
            #expect(terminal.parts.joined().count { $0 != nil } == 50)
            numbers.append(try #require(terminal.parts[2][rect.column]).number)
        }
        #expect(numbers[0] == numbers[2] && numbers[1] == numbers[3] && numbers[0] != numbers[1])
        let deletions = terminal.commands.filter { $0.keys["a"] == "d" }.map { $0.keys["i"] }
        #expect(deletions == numbers.dropLast().map { "\($0)" })
        try terminal.write(renderer.clear())
        #expect(terminal.parts.joined().allSatisfy { $0 == nil })
        #expect(terminal.commands.last?.keys["i"] == "\(numbers[3])" && terminal.commands.last?.keys["d"] == "I")
    }

    @Test func textReplacesAnImage() throws {
        var renderer = RegionRenderer(capabilities, size: capabilities.size, image: 5)
        var terminal = PlaceholderTerminal(columns: 40, rows: 20)
        let rect = CellRect(column: 3, row: 2, columns: 10, rows: 5)
        let image = try TestImages.photo(40, 30)
        let content = RegionContent.image(image, CellLayout(rect.span, pixels: image.size))
        try terminal.write(try renderer.draw(RegionFrame(content, in: rect)).bytes)
        try terminal.write(try renderer.draw(RegionFrame(.text(["error"]), in: rect)).bytes)
        #expect(terminal.parts.joined().allSatisfy { $0 == nil } && terminal.commands.last?.keys["a"] == "d")
    }

    /// A pane may have more columns than there are marks.
    @Test func aVeryWideImageIsReduced() throws {
        var wide = capabilities
        wide.size = TerminalSize(columns: 400, rows: 20, cell: cell)
        var renderer = RegionRenderer(wide, size: wide.size, image: 5)
        var terminal = PlaceholderTerminal(columns: 400, rows: 20)
        let image = try TestImages.photo(1600, 6)
        let rect = CellRect(column: 0, row: 0, columns: 400, rows: 1)
        let content = RegionContent.image(image, CellLayout(rect.span, pixels: image.size))
        try terminal.write(try renderer.draw(RegionFrame(content, in: rect)).bytes)
        #expect(terminal.commands.last?.keys["c"] == "297" && terminal.parts.joined().count { $0 != nil } == 297)
    }
}
