import ArgumentParser
import Foundation
import Tintype
import TintypeTerminal

/// `tintype show`: shows images in the terminal.
struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show images in the terminal.",
        discussion: """
            Asks the terminal what it can show: the graphics of kitty, iTerm2 or Sixel, or else characters with colours. \
            Animations play until their end, or until q is pressed; a terminal with kitty's graphics plays them by itself. \
            If standard output is no terminal, each image is one line of text, unless --protocol names a protocol. \
            NO_COLOR and TINTYPE_PROTOCOL are respected. The exit status is the number of failures, at most 125.

            Keys with --interactive: n and p for the next and the previous file, + and - to zoom, 0 for the whole image, \
            the arrows to move, the space bar to pause, . and , for single frames, q to quit.

            Examples:
              tintype show photo.jpg
              tintype show --size 40x20 https://example.org/a.png
              tintype show --grid 4 'photos/*.jpg'
              tintype show --interactive --watch plot.png
            """)

    @Argument(
        help: ArgumentHelp("The paths of files, patterns such as 'photos/*.jpg', or URLs.", valueName: "source"))
    var sources: [SourceArgument] = []

    @OptionGroup(title: "Inputs") var inputs: InputOptions

    @Option(
        help: ArgumentHelp(
            "Use at most this many columns and rows, such as 80x24, or columns, such as 80.", valueName: "cells"),
        transform: CellSpanArgument.parsing(expecting: CellSpanArgument.expectation))
    var size: CellSpanArgument?

    @Option(
        name: .customLong("protocol"),
        help: "Use this protocol, whatever the terminal answers; none writes a line of text.")
    var graphics = ProtocolArgument.auto

    @Flag var repetition: RepetitionArgument?

    @Option(help: ArgumentHelp("Show rows of this many images, with their names.", valueName: "n"))
    var grid: Int?

    @Flag(name: .shortAndLong, help: "Show one image at a time on a screen of its own, with keys.")
    var interactive = false

    @Flag(help: "Show a file again when it changes. Implies --interactive.")
    var watch = false

    @OptionGroup(title: "Cache", visibility: .hidden) var cache: CacheOptions
    @OptionGroup(title: "Transfers", visibility: .hidden) var transfer: TransferOptions
    @OptionGroup var terminal: TerminalOptions

    func validate() throws {
        try inputs.validate(sources)
        guard !sources.isEmpty || inputs.from != nil else {
            throw ValidationError("no source given; name at least one, or a list of them with --from")
        }
        if let grid { try validate(grid, in: 1...100, for: "--grid") }
        if grid != nil, interactive || watch {
            throw ValidationError(
                "--grid and \(watch ? "--watch" : "--interactive") exclude each other; give one of them")
        }
    }

    func run() async throws {
        let sources = try inputs.inputs(sources).map(\.source)
        let pipeline = ImagePipeline(
            transfer.applied(to: .standard(downloader: transfer.configuration, memory: nil, disk: cache.diskCache)))
        let run = ShowRun(
            sources: sources, loader: ShowLoader(pipeline: pipeline), size: size, repetition: repetition)
        let failures: Int
        switch ShowTarget.choose(graphics, span: size) {
        case .lines: failures = await run.describe()
        case .file(let capabilities): failures = try await run.print(capabilities, grid: grid, hasKeys: false)
        case .terminal(let capabilities) where interactive || watch:
            try await ImageViewer(sources, run.loader, capabilities, loopCount: run.loopCount)
                .run(watching: watch ? FileWatch() : nil)
            failures = 0
        case .terminal(let capabilities): failures = try await run.print(capabilities, grid: grid, hasKeys: true)
        }
        try await pipeline.flush()
        if failures > 0 { throw ExitCode(Int32(min(failures, 125))) }
    }
}
