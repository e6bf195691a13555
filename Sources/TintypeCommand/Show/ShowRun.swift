import Foundation
import Tintype
import TintypeTerminal

/// One run of `tintype show` that prints images and ends.
struct ShowRun {
    let sources: [SourceArgument]
    let loader: ShowLoader
    /// The cells that an image may cover.
    let size: CellSpanArgument?
    let repetition: RepetitionArgument?

    /// The total number of plays of animations, 0 for forever; `nil` as the file says.
    var loopCount: Int? {
        switch repetition {
        case .loop: 0
        case .once: 1
        case nil: nil
        }
    }

    // MARK: Lines

    /// Writes a line for each image, after decoding it to a small size, which shows that it is whole.
    ///
    /// - Returns: The number of failures.
    func describe() async -> Int {
        await forEachImage(within: PixelSize(width: 64, height: 64), frames: .all) {
            source, image, _ throws(TintypeError) in
            try StandardOutput.write(ShowLine.text(source, image.info))
        }
    }

    // MARK: Images

    /// Prints images below each other, or in a grid.
    ///
    /// - Parameters:
    ///   - grid: The number of images in a row; `nil` for no grid.
    ///   - hasKeys: Whether a user can end an animation.
    /// - Returns: The number of failures.
    func print(_ capabilities: TerminalCapabilities, grid: Int?, hasKeys: Bool) async throws(TintypeError) -> Int {
        if let grid { return try await printGrid(capabilities, columns: grid) }
        let printer = ImagePrinter(capabilities, limit: size?.span(capabilities))
        let frames: DecodeOptions.Frames = hasKeys || capabilities.bestProtocol == .kitty ? .all : .first
        return await forEachImage(within: printer.box, frames: frames) { source, image, number throws(TintypeError) in
            try await show(image, printer, number)
            if sources.count > 1 { try StandardOutput.write(ShowLine.text(source, image.info)) }
        }
    }

    private func show(_ image: Image, _ printer: ImagePrinter, _ number: Int) async throws(TintypeError) {
        guard let animation = image.animation, animation.frameCount > 1 else {
            return try printer.printStill(image, number: number)
        }
        let count = loopCount ?? animation.loopCount
        if printer.capabilities.bestProtocol == .kitty {
            return try printer.printAnimation(animation, loopCount: count, number: number)
        }
        if repetition == nil, try printer.printFile(image) { return }
        let layout = printer.layout(animation.size)
        let frames = try animation.transformed(by: ImagePrinter.resize(to: layout.pixels))
        try await AnimationPlayback(printer.capabilities, frames, layout).play(loopCount: count)
    }

    /// Loads one image after the other, and reports those that fail.
    ///
    /// - Returns: The number of failures.
    private func forEachImage(
        within box: PixelSize, frames: DecodeOptions.Frames,
        _ body: (SourceArgument, Image, Int) async throws(TintypeError) -> Void
    ) async -> Int {
        var failures = 0
        for (number, source) in sources.enumerated() {
            do throws(TintypeError) {
                try await body(source, try await loader.image(source, within: box, frames: frames), number)
            } catch {
                StandardError.write("tintype: \(FailureHint().description(error))")
                failures += 1
            }
        }
        return failures
    }

    // MARK: Grid

    /// Prints rows of images with their names. The images of a row are loaded at once; animations show their first frame.
    private func printGrid(_ capabilities: TerminalCapabilities, columns: Int) async throws(TintypeError) -> Int {
        let grid = InlineGrid(capabilities, columns: columns) { try? SharedPixels($0) }
        let firstNumber = UInt32.random(in: 0x4000_0000...0x7FFF_0000)
        var failures = 0
        for start in stride(from: 0, to: sources.count, by: columns) {
            let row = Array(sources[start..<min(start + columns, sources.count)])
            var items: [InlineGrid.Item] = []
            for (index, result) in await load(row, within: Self.box(grid, capabilities)).enumerated() {
                let number = firstNumber &+ UInt32(truncatingIfNeeded: start + index)
                if case .failure(let error) = result {
                    StandardError.write("tintype: \(FailureHint().description(error))")
                    failures += 1
                }
                items.append(try item(row[index], try? result.get(), grid, number))
            }
            try write(try grid.show(items))
        }
        return failures
    }

    private static func box(_ grid: InlineGrid, _ capabilities: TerminalCapabilities) -> PixelSize {
        let isText = capabilities.bestProtocol.symbols(capabilities.colors) != nil
        let cell = isText ? PixelSize(width: 2, height: 4) : capabilities.size.cell
        return PixelSize(width: grid.limit.columns * cell.width, height: grid.limit.rows * cell.height)
    }

    private func load(_ row: [SourceArgument], within box: PixelSize) async -> [Result<Image, TintypeError>] {
        await withTaskGroup(of: (Int, Result<Image, TintypeError>).self) { group in
            for (index, source) in row.enumerated() {
                group.addTask { [loader] in
                    do throws(TintypeError) {
                        return (index, .success(try await loader.image(source, within: box, frames: .first)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [Int: Result<Image, TintypeError>] = [:]
            for await (index, result) in group { results[index] = result }
            return row.indices.compactMap { results[$0] }
        }
    }

    private func item(
        _ source: SourceArgument, _ image: Image?, _ grid: InlineGrid, _ number: UInt32
    ) throws(TintypeError) -> InlineGrid.Item {
        let name = ShowLine.name(source)
        let layout = grid.layout(image?.size ?? PixelSize(width: 1, height: 1))
        let pixels = try image?.pixels.resampled(to: layout.pixels, filter: .lanczos3)
        return InlineGrid.Item(pixels, layout, name: pixels == nil ? "✗ \(name)" : name, number: number)
    }

    private func write(_ output: InlineImage.Output) throws(TintypeError) {
        defer { for object in output.shared { object.remove() } }
        try StandardOutput.write(bytes: Data(output.bytes))
        if !output.shared.isEmpty { TerminalQuestion.waitUntilProcessed() }
    }
}
