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
        if let grid {
            var run = GridRun(self, capabilities, columns: grid, hasMotion: hasKeys)
            return try await run.print()
        }
        let printer = ImagePrinter(
            capabilities, limit: size?.span(capabilities), until: loader.pipeline.interruption)
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
        if printer.capabilities.bestProtocol == .kitty {
            return try await printer.printAnimation(animation, loopCount: loopCount, number: number)
        }
        if repetition == nil, try printer.printFile(image) { return }
        let layout = printer.layout(animation.size)
        let frames = try animation.transformed(by: ImagePrinter.resize(to: layout.pixels))
        let interruption = loader.pipeline.interruption
        try await AnimationPlayback(printer.capabilities, loopCount: loopCount, until: interruption).play(
            frames, layout)
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

    var isInterrupted: Bool { loader.pipeline.interruption.isRequested }

    private func fail(_ error: TintypeError, _ tally: inout BatchTally) {
        StandardError.write("tintype: \(hint.description(error))")
        tally.add(.failed)
    }
}
