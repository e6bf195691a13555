import Foundation
import Tintype
import TintypeTerminal

/// A run of `tintype show --grid`: it prints rows of images with their names, and then plays the animations on the
/// screen.
struct GridRun {
    private let run: ShowRun
    private let capabilities: TerminalCapabilities
    /// Whether animations play. If not, they show their first frame.
    private let hasMotion: Bool
    private let grid: InlineGrid
    private let printer: ImagePrinter
    private let reports = GridReports()
    private var ids = ImageNumbers()
    private var tally: BatchTally
    private var animations: GridAnimations
    /// The number of animations that count as shown after the play.
    private var animationCount = 0
    /// The bytes of frames or files that the terminal may still get, of all animations that it plays by itself.
    private var frameBytes = InlineImage.animationLimit

    /// - Parameters:
    ///   - columns: The number of images in a row.
    ///   - hasMotion: Whether there is a terminal that plays animations, or shows their frames.
    init(_ run: ShowRun, _ capabilities: TerminalCapabilities, columns: Int, hasMotion: Bool) {
        self.run = run
        self.capabilities = capabilities
        self.hasMotion = hasMotion
        grid = InlineGrid(capabilities, columns: columns) { try? SharedPixels($0) }
        printer = ImagePrinter(capabilities, limit: grid.limit, until: run.loader.pipeline.interruption)
        tally = BatchTally(total: run.inputs.count)
        animations = GridAnimations(screenRows: capabilities.size.rows)
    }

    /// Prints and plays. The images of a row are loaded at once. Failures are reported below the grid.
    mutating func print() async throws(TintypeError) -> BatchTally {
        defer { reports.write() }
        do throws(TintypeError) {
            try await printRows()
            try await play()
        } catch {
            // An interrupted run reports its images as not shown.
            guard error.code == .cancelled else { throw error }
        }
        return tally
    }

    private mutating func printRows() async throws(TintypeError) {
        for row in run.inputs.chunks(ofCount: grid.columns) {
            let results = await load(row.items)
            guard !run.isInterrupted else { throw .cancelled }
            try await print(row.items, results)
        }
    }

    // MARK: Loading

    private func load(_ row: [BatchInput]) async -> [Result<Image, TintypeError>] {
        let frames: DecodeOptions.Frames = hasMotion ? .all : .first
        return await withTaskGroup(of: (Int, Result<Image, TintypeError>).self) { group in
            for (index, input) in row.enumerated() {
                group.addTask { [loader = run.loader, box = printer.box] in
                    do throws(TintypeError) {
                        return (index, .success(try await loader.image(input, within: box, frames: frames)))
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

    // MARK: Rows

    /// An image of a row, and its frames if it is an animation to play.
    private struct Item {
        let input: BatchInput
        let cells: InlineGrid.Item
        var frames: AnimatedImage?
    }

    private mutating func print(
        _ inputs: [BatchInput], _ results: [Result<Image, TintypeError>]
    ) async throws(TintypeError) {
        let items = zip(inputs, results).map { makeItem($0, $1) }
        let row = items.map(\.cells)
        try StandardOutput.write(try grid.show(row))
        guard capabilities.bestProtocol != .kitty else {
            for item in items { try await sendFrames(of: item) }
            return
        }
        let placed = items.enumerated().compactMap { index, item in
            item.frames.map {
                PlacedAnimation(frames: $0, layout: item.cells.layout, rect: grid.rect(of: index, in: row))
            }
        }
        animations.add(placed, lineCount: grid.lineCount(row))
        animationCount += placed.count
        tally.add(.finished, times: row.count { $0.pixels != nil } - placed.count)
    }

    /// Makes the item of an image; of a name alone, if the image could not be loaded or has no pixels in its cells.
    private mutating func makeItem(_ input: BatchInput, _ result: Result<Image, TintypeError>) -> Item {
        do throws(TintypeError) {
            return try item(input, try result.get())
        } catch {
            report(error)
            let layout = grid.layout(PixelSize(width: 1, height: 1))
            let name = "✗ \(ShowLine.name(input.source))"
            return Item(input: input, cells: InlineGrid.Item(nil, layout, name: name, number: ids.next()))
        }
    }

    private mutating func item(_ input: BatchInput, _ image: Image) throws(TintypeError) -> Item {
        let layout = grid.layout(image.size)
        let file = hasMotion && run.repetition == nil ? printer.file(of: image, limit: frameBytes) : nil
        frameBytes -= file?.count ?? 0
        var frames: AnimatedImage?
        if file == nil, hasMotion, let animation = image.animation, animation.frameCount > 1 {
            frames = try animation.transformed(by: ImagePrinter.resize(to: layout.pixels))
        }
        let pixels: PixelBuffer
        if let frames {
            pixels = frames.poster
        } else {
            pixels = try image.pixels.resampled(to: layout.pixels, filter: .lanczos3)
        }
        let cells = InlineGrid.Item(
            pixels, layout, name: ShowLine.name(input.source), number: ids.next(), file: file)
        return Item(input: input, cells: cells, frames: frames)
    }

    private mutating func report(_ error: TintypeError) {
        reports.add("tintype: \(run.hint.description(error))")
        tally.add(.failed)
    }

    // MARK: Animations

    /// Sends the frames of an animation to a terminal that plays it by itself.
    private mutating func sendFrames(of item: Item) async throws(TintypeError) {
        guard item.cells.pixels != nil else { return }
        do throws(TintypeError) {
            if let frames = item.frames {
                let count = try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) {
                    [printer, run, number = item.cells.number, frameBytes] () throws(TintypeError) in
                    try printer.sendFrames(frames, loopCount: run.loopCount, image: number, limit: frameBytes)
                }
                frameBytes = max(0, frameBytes - count * frames.poster.byteCount)
                ImagePrinter.note(playing: count, of: frames).map { reports.add("\($0): \(item.cells.name)") }
            }
            tally.add(.finished)
        } catch {
            guard error.code != .unwritable && error.code != .cancelled else { throw error }
            // The frames before a damaged one play.
            report(error.about(item.input.name))
        }
    }

    /// Plays the animations on the screen. Interrupted ones count as not shown.
    private mutating func play() async throws(TintypeError) {
        animations.note.map(reports.add)
        guard !animations.isEmpty else { return tally.add(.finished, times: animationCount) }
        let device = try TerminalDevice()
        // If the size has changed, the positions of the animations are unknown.
        if device.size.cells == capabilities.size.span, let row = TerminalQuestion.cursor(device)?.row {
            let interruption = run.loader.pipeline.interruption
            let playback = await AnimationPlayback(capabilities, loopCount: run.loopCount, until: interruption)
            let visible = animations.visible(above: row)
            try await playback.play(visible, above: row, on: device) { [reports] in reports.write() }
        }
        tally.add(.finished, times: animationCount)
    }
}

/// The lines about failures of a grid, which are written below it, each once.
final class GridReports: Sendable {
    private let lines = Locked<[String]>([])

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    /// Writes the lines that were not written yet. May be called on any thread.
    func write() {
        let lines = lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        for line in lines { StandardError.write(line) }
    }
}
