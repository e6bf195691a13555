import ArgumentParser
import Foundation
import Tintype
import TintypeTerminal

/// `tintype show`: shows images in the terminal.
struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show images in the terminal.",
        discussion: """
            Asks the terminal what it can show: the graphics of kitty, iTerm2 or Sixel, or else characters with colours. \
            Animations play until their end, or until q or Escape is pressed; a terminal with kitty's graphics plays them by \
            itself. If standard output is not a terminal, each image is one line of text, unless --protocol names a \
            protocol. NO_COLOR and TINTYPE_PROTOCOL are respected. The exit status is the number of failures, at most \
            125; with --interactive, it is the number of files that could not be shown.

            Keys with --interactive: n and p for the next and the previous file, + and - to zoom, 0 for the whole image, \
            the arrows to move, the space bar to pause, . and , for single frames, q or Escape to quit.

            Examples:
              tintype show photo.jpg
              tintype show --size 40x20 https://example.org/a.png
              tintype show --grid 4 'photos/*.jpg'
              tintype show --interactive --watch plot.png
            """)

    @Argument(
        help: ArgumentHelp("The paths of files, patterns such as 'photos/*.jpg', or URLs.", valueName: "source"))
    var operands: [SourceOperand] = []

    @OptionGroup(title: "Inputs") var inputs: InputOptions

    @Option(
        help: ArgumentHelp(
            "Use at most this many columns and rows, such as 80x24, or columns, such as 80.", valueName: "cells"),
        transform: CellSpanArgument.parsing(expecting: CellSpanArgument.expectation))
    var size: CellSpanArgument?

    @Option(
        name: .customLong("protocol"),
        help: "Use this protocol, whatever the terminal reports; none prints one line of text for each image.")
    var graphics = ProtocolArgument.auto

    @Flag var repetition: RepetitionArgument?

    @Option(help: ArgumentHelp("Show rows of this many images, with their names.", valueName: "n"))
    var grid: Int?

    @Flag(name: .shortAndLong, help: "Show one image at a time on the alternate screen, with keyboard control.")
    var interactive = false

    @Flag(help: "Show a file again when it changes. Implies --interactive.")
    var watch = false

    @OptionGroup(title: "Cache", visibility: .rare) var cache: CacheOptions
    @OptionGroup(title: "Transfers", visibility: .rare) var transfer: TransferOptions
    @OptionGroup var terminal: TerminalOptions

    func validate() throws {
        try inputs.validate(operands.sources, expecting: "source")
        if let grid { try validate(grid, in: 1...100, for: "--grid") }
        if grid != nil, interactive || watch {
            throw ValidationError(
                "--grid and \(watch ? "--watch" : "--interactive") exclude each other; give one of them")
        }
    }

    func run() async throws {
        let inputs = try inputs.inputs(operands.sources)
        let target = ShowTarget.choose(graphics, span: size)
        // A viewer and its screen have handlers of their own, which restore the terminal.
        let isViewer = (interactive || watch) && target.isTerminal
        let pipeline = transfer.pipeline(disk: cache.diskCache, until: isViewer ? .none : .shared)
        let run = ShowRun(
            inputs: inputs, loader: ShowLoader(pipeline: pipeline), size: size, repetition: repetition,
            hint: FailureHint(transfer: transfer))
        let tally: BatchTally
        switch target {
        case .lines: tally = await run.describe()
        case .file(let capabilities): tally = try await run.print(capabilities, grid: grid, hasKeys: false)
        case .terminal(let capabilities) where isViewer: tally = try await view(run, capabilities)
        case .terminal(let capabilities): tally = try await run.print(capabilities, grid: grid, hasKeys: true)
        }
        await pipeline.flush()
        try tally.end(.finished, "shown")
    }

    private func view(_ run: ShowRun, _ capabilities: TerminalCapabilities) async throws(TintypeError) -> BatchTally {
        let viewer = await ImageViewer(run.inputs, run.loader, capabilities, loopCount: run.loopCount)
        let failures = try await viewer.run(watching: watch ? FileWatch() : nil)
        var tally = BatchTally(total: run.inputs.count)
        tally.add(.failed, times: failures)
        // The user need not look at every file.
        tally.add(.finished, times: run.inputs.count - failures)
        return tally
    }
}
