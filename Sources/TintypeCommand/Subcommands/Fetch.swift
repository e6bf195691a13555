import ArgumentParser
import Foundation
import Tintype

/// `tintype fetch`: loads images through the caches.
struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Load images through the caches.",
        discussion: """
            Each URL is loaded once and reported as often as it is listed. A failure does not stop the other loads; the \
            exit status is the number of failures, at most 125. \
            Images accepted through --partial because a transfer broke off are neither cached nor written.

            --output is a directory, in which equal names get numbers; a template with the fields {stem}, {name}, {ext}, \
            {format}, {dir}, {index}, {width} and {height}, whose paths must differ; or - for standard output, for one \
            image. Files that exist are replaced, unless --skip-existing is given.

            Examples:
              tintype fetch https://example.org/a.jpg https://example.org/b.png
              tintype fetch --from urls.txt --output images --concurrency 12
              tintype fetch --from urls.txt -o 'images/{index}-{stem}.{ext}' --skip-existing
              tintype fetch --thumbnail 200x200 --json https://example.org/a.jpg
              tintype fetch --refresh --trace trace.json https://example.org/a.jpg
            """)

    @Argument(help: ArgumentHelp("URLs, paths of files, or patterns such as 'photos/*.jpg'.", valueName: "url"))
    var operands: [SourceOperand] = []

    @OptionGroup(title: "Inputs") var inputs: InputOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the original bytes of each image into this directory or by this template; - is standard output.",
            valueName: "dir|template"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var output: PathArgument?

    @Flag(exclusivity: .exclusive)
    var existing: ExistingFile?

    @Flag(help: "Report what would be loaded, and load nothing.")
    var dryRun = false

    @Flag(
        help: """
            Write the bytes without decoding them: only their header is read, and they do not enter the cache. Status, \
            length and format are checked as always.
            """)
    var noVerify = false

    @OptionGroup(title: "Cache") var cache: CacheOptions

    @OptionGroup var policy: FreshnessOptions

    @OptionGroup var partial: PartialOptions

    @Option(
        name: [.long, .customLong("jobs")],
        help: ArgumentHelp("Run at most this many transfers at once.", valueName: "n"))
    var concurrency = 6

    @OptionGroup(title: "Transfers") var transfer: TransferOptions

    @Option(
        help: ArgumentHelp("Decode to at most this size; never enlarges.", valueName: "WxH"),
        transform: PixelSize.parse)
    var thumbnail: PixelSize?

    @Flag(help: "Decode and verify only the first frame of an animation. Needs --thumbnail.")
    var firstFrame = false

    @OptionGroup var tracing: TraceOptions

    @OptionGroup var terminal: TerminalOptions

    @Flag(help: "Report the timing of each transfer: queue, connection, first byte and body.")
    var metrics = false

    @Flag(help: "Write one JSON object per URL, each on its own line, in the order in which the loads finish.")
    var json = false

    @Flag(help: "Report failures only.")
    var quiet = false

    func validate() throws {
        try validate(concurrency, in: 1...1000, for: "--concurrency")
        try inputs.validate(operands.sources, expecting: "URL")
        guard !firstFrame || thumbnail != nil else {
            throw ValidationError("--first-frame needs --thumbnail; other images are verified with all frames")
        }
        guard output != nil || existing == nil else {
            throw ValidationError(
                "--skip-existing and --overwrite need --output, which names a directory or a template")
        }
        guard noVerify else { return }
        guard output != nil else {
            throw ValidationError("--no-verify needs --output, which names a directory or a template")
        }
        guard thumbnail == nil, !partial.partial else {
            throw ValidationError("--no-verify excludes --thumbnail and --partial, which decode the image")
        }
    }

    func run() async throws {
        let inputs = try inputs.inputs(operands.sources)
        let paths = try paths(for: inputs)
        try await tracing.withRecording { observers in
            let pipeline = transfer.pipeline(
                disk: cache.diskCache, concurrency: concurrency, observers: observers, until: .shared)
            let run = FetchRun(
                pipeline: pipeline, plan: plan, policy: { partial.applied(to: policy.applied(to: $0)) },
                paths: paths, skipsExisting: existing == .skipExisting, isDryRun: dryRun,
                width: width, report: report, hint: hint)
            let tally = try await run.run(inputs)
            await pipeline.flush()
            try tally.end(.written, "loaded")
        }
    }

    /// How many images are loaded at once: more than are transferred, since others are decoded or written. One keeps
    /// the order of the inputs.
    private var width: Int { concurrency == 1 ? 1 : concurrency + ProcessInfo.processInfo.activeProcessorCount }

    private var hint: FailureHint {
        FailureHint(offersPartial: !partial.partial && !noVerify, transfer: transfer)
    }

    /// Decides on the paths of the outputs, and creates the directory that the user named.
    private func paths(for inputs: [BatchInput]) throws -> SharedPaths? {
        guard let output else { return nil }
        do {
            let target = try FetchOutput(output.path, isDirectory: InputFinder.isDirectory(output.path))
            let paths = SharedPaths(try FetchPaths(inputs, to: target))
            if let directory = target.directory, !dryRun { try OutputFile.createDirectory(directory) }
            return paths
        } catch let error as OutputTemplate.ParsingError {
            throw ValidationError(error.message)
        } catch let error as OutputPlan.Problem {
            throw ValidationError(error.message(.standard))
        }
    }

    private var plan: FetchPlan {
        FetchPlan(
            thumbnail: thumbnail, frames: firstFrame ? .first : .all, verification: noVerify ? .header : .whole,
            writesOriginal: output != nil)
    }

    private var report: FetchReport {
        FetchReport(
            style: quiet || output?.path == "-" ? .quiet : json ? .json : .human, showsMetrics: metrics,
            showsProgress: !quiet && StandardError.showsProgress)
    }
}

/// The handling of a file that exists.
enum ExistingFile: String, EnumerableFlag {
    case skipExisting
    case overwrite

    static func help(for value: ExistingFile) -> ArgumentHelp? {
        switch value {
        case .skipExisting: "Keep files that exist. Their images are loaded only if the file names depend on them."
        case .overwrite: "Replace files that exist (the default)."
        }
    }
}
