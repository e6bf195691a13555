import Foundation
import Tintype
import TintypeTerminal

/// One run of `tintype show` that prints images until all are shown, or the user interrupts it.
struct ShowRun {
    let inputs: [BatchInput]
    let loader: ShowLoader
    /// The cells that an image may cover.
    let size: CellSpanArgument?
    let repetition: RepetitionArgument?
    var hint = FailureHint()

    /// The total number of plays of animations, 0 for forever; `nil` as the file says.
    var loopCount: Int? {
        switch repetition {
        case .loop: 0
        case .once: 1
        case nil: nil
        }
    }

    // MARK: Lines

    /// Writes a line for each image, after verifying all of it.
    func describe() async -> BatchTally {
        await forEachImage { input throws(TintypeError) in
            try await loader.verifiedImage(input)
        } show: { input, image, _ throws(TintypeError) in
            try StandardOutput.write(ShowLine.text(input.source, image.info))
        }
    }

    // MARK: Images

    /// Prints images below each other, or in a grid.
    ///
    /// - Parameters:
    ///   - grid: The number of images in a row; `nil` for no grid.
    ///   - hasKeys: Whether a user can end an animation.
    func print(
        _ capabilities: TerminalCapabilities, grid: Int?, hasKeys: Bool
    ) async throws(TintypeError) -> BatchTally {
        if let grid { return try await printGrid(capabilities, columns: grid) }
        let printer = ImagePrinter(capabilities, limit: size?.span(capabilities))
        let frames: DecodeOptions.Frames = hasKeys || capabilities.bestProtocol == .kitty ? .all : .first
        return await forEachImage { input throws(TintypeError) in
            try await loader.image(input, within: printer.box, frames: frames)
        } show: { input, image, number throws(TintypeError) in
            try await show(image, printer, number)
            if inputs.count > 1 { try StandardOutput.write(ShowLine.text(input.source, image.info)) }
        }
    }

    private func show(_ image: Image, _ printer: ImagePrinter, _ number: Int) async throws(TintypeError) {
        guard let animation = image.animation, animation.frameCount > 1 else {
            return try printer.printStill(image, number: number)
        }
        let count = loopCount ?? animation.loopCount
        if printer.capabilities.bestProtocol == .kitty {
            return try await printer.printAnimation(animation, loopCount: count, number: number)
        }
        if repetition == nil, try printer.printFile(image) { return }
        let layout = printer.layout(animation.size)
        let frames = try animation.transformed(by: ImagePrinter.resize(to: layout.pixels))
        try await AnimationPlayback(printer.capabilities, frames, layout).play(loopCount: count)
    }

    /// Loads and shows one image after the other, and reports those that fail.
    private func forEachImage(
        _ load: (BatchInput) async throws(TintypeError) -> Image,
        show: (BatchInput, Image, Int) async throws(TintypeError) -> Void
    ) async -> BatchTally {
        var tally = BatchTally(total: inputs.count)
        for (number, input) in inputs.enumerated() where !isInterrupted {
            do throws(TintypeError) {
                try await show(input, try await load(input), number)
                tally.add(.finished)
            } catch {
                guard error.code != .cancelled else { break }
                fail(error, &tally)
            }
        }
        return tally
    }

    private var isInterrupted: Bool { loader.pipeline.interruption.isRequested }

    private func fail(_ error: TintypeError, _ tally: inout BatchTally) {
        StandardError.write("tintype: \(hint.description(error))")
        tally.add(.failed)
    }

    // MARK: Grid

    /// Prints rows of images with their names. The images of a row are loaded at once; animations show their first frame.
    private func printGrid(
        _ capabilities: TerminalCapabilities, columns: Int
    ) async throws(TintypeError) -> BatchTally {
        let grid = InlineGrid(capabilities, columns: columns) { try? SharedPixels($0) }
        let box = capabilities.box(grid.limit)
        var ids = ImageNumbers()
        var tally = BatchTally(total: inputs.count)
        for row in inputs.chunks(ofCount: columns) {
            let results = await load(row.items, within: box)
            // A row that the user has interrupted is not shown.
            guard !isInterrupted else { break }
            var items: [InlineGrid.Item] = []
            for (input, result) in zip(row.items, results) {
                switch result {
                case .success: tally.add(.finished)
                case .failure(let error): fail(error, &tally)
                }
                items.append(try item(input.source, try? result.get(), grid, ids.next()))
            }
            try StandardOutput.write(try grid.show(items))
        }
        return tally
    }

    private func load(_ row: [BatchInput], within box: PixelSize) async -> [Result<Image, TintypeError>] {
        await withTaskGroup(of: (Int, Result<Image, TintypeError>).self) { group in
            for (index, input) in row.enumerated() {
                group.addTask { [loader] in
                    do throws(TintypeError) {
                        return (index, .success(try await loader.image(input, within: box, frames: .first)))
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
}
