import ArgumentParser
import Foundation
import Tintype

/// `tintype fetch`: loads images through the caches.
struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load images through the caches.",
        discussion: """
            Each URL is loaded once and reported as often as it is listed. A failure does not stop the other loads; the \
            exit status is the number of failures, at most 125. \
            Images accepted through --partial because a transfer broke off are neither cached nor written.

            Examples:
              tintype fetch https://example.org/a.jpg https://example.org/b.png
              tintype fetch --from urls.txt --output images --concurrency 12
              tintype fetch --thumbnail 200x200 --json https://example.org/a.jpg
              tintype fetch --refresh --trace trace.json https://example.org/a.jpg
            """)

    @OptionGroup var sources: SourceOptions

    @Option(
        help: ArgumentHelp("Write the original bytes of each image into this directory.", valueName: "dir"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var output: PathArgument?

    @Flag(
        help: """
            Write the bytes without decoding them: only their header is read, and they do not enter the cache. Status, \
            length and format are checked as always.
            """)
    var noVerify = false

    @OptionGroup(title: "Cache") var cache: CacheOptions

    @OptionGroup var policy: PolicyOptions

    @OptionGroup var partial: PartialOptions

    @Option(help: ArgumentHelp("Run at most this many transfers at once.", valueName: "n"))
    var concurrency = 6

    @OptionGroup(title: "Transfers") var transfer: TransferOptions

    @Option(
        help: ArgumentHelp("Decode to at most this size; never enlarges.", valueName: "WxH"),
        transform: PixelSize.parse)
    var thumbnail: PixelSize?

    @Flag(help: "Decode only the first frame of an animation.")
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
        guard noVerify else { return }
        guard output != nil else { throw ValidationError("--no-verify needs --output, which names a directory") }
        guard thumbnail == nil, !partial.partial, !firstFrame else {
            throw ValidationError(
                "--no-verify excludes --thumbnail, --partial and --first-frame, which decode the image")
        }
    }

    func run() async throws {
        let sources = try sources.all()
        if let output { try OutputFile.createDirectory(output.path) }
        try await tracing.withRecording { observers in
            var configuration = configuration
            configuration.observers += observers
            let pipeline = ImagePipeline(configuration)
            let run = FetchRun(
                pipeline: pipeline, plan: plan, policy: { partial.applied(to: policy.applied(to: $0)) },
                output: output?.path,
                width: concurrency + ProcessInfo.processInfo.activeProcessorCount, report: report,
                interruption: .shared, hint: FailureHint(offersPartial: !partial.partial && !noVerify))
            // Transfers may take long; files that are being written are finished.
            Interruption.shared.whenRequested { pipeline.cancelAll() }
            let tally = try await run.run(sources)
            try await pipeline.flush()
            if tally.remaining > 0 {
                StandardError.write(
                    "tintype: interrupted: \(tally[.written]) of \(sources.count) loaded", style: .warning)
            }
            if tally.exitStatus != 0 { throw ExitCode(tally.exitStatus) }
        }
    }

    private var plan: FetchPlan {
        FetchPlan(
            thumbnail: thumbnail, frames: firstFrame ? .first : .all, verification: noVerify ? .header : .whole,
            writesOriginal: output != nil)
    }

    private var configuration: PipelineConfiguration {
        var downloader = transfer.configuration
        downloader.maximumConcurrentDownloads = concurrency
        downloader.connectionsPerHost = concurrency
        return transfer.applied(to: .standard(downloader: downloader, memory: nil, disk: cache.diskCache))
    }

    private var report: FetchReport {
        FetchReport(
            style: json ? .json : quiet ? .quiet : .human, showsMetrics: metrics,
            showsProgress: !quiet && StandardError.showsProgress)
    }
}
