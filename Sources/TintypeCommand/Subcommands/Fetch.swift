import ArgumentParser
import Foundation
import Tintype

struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load pictures, through the caches.",
        discussion: """
            Each URL is loaded once, however often it is given, and reported as often. One that fails does not stop the \
            others. Of what --partial lets pass when a transfer breaks off nothing is kept or written.

            Examples:
              tintype fetch https://example.org/a.jpg https://example.org/b.png
              tintype fetch --from urls.txt --output pictures --concurrency 12
              tintype fetch --thumbnail 200x200 --json https://example.org/a.jpg
              tintype fetch --refresh --trace trace.json https://example.org/a.jpg
            """)

    @OptionGroup var sources: SourceOptions

    @Option(help: ArgumentHelp("Write the original bytes into this directory.", valueName: "dir"))
    var output: String?

    @OptionGroup var cache: CacheOptions

    @OptionGroup var policy: PolicyOptions

    @OptionGroup var parts: PartialOptions

    @Option(help: ArgumentHelp("Transfers at once.", valueName: "n"))
    var concurrency = 6

    @OptionGroup var http: TransferOptions

    @Option(
        help: ArgumentHelp("Decode to at most this size, never larger than the picture.", valueName: "WxH"),
        transform: PixelSize.parsed)
    var thumbnail: PixelSize?

    @Flag(help: "Decode the first frame of an animation only.")
    var firstFrame = false

    @OptionGroup var tracing: TraceOptions

    @Flag(help: "Tell what each transfer took: waiting, connecting, the first byte, the body.")
    var metrics = false

    @Flag(help: "One JSON object a line for each URL, in the order they finish.")
    var json = false

    @Flag(help: "Say nothing but what failed.")
    var quiet = false

    func validate() throws {
        guard (1...1000).contains(concurrency) else { throw ValidationError("--concurrency takes 1 to 1000.") }
    }

    func run() async throws {
        let sources = try sources.all()
        if let output { try OutputFile.makeFolder(output) }
        try await tracing.recording { observers in
            var configuration = configuration
            configuration.observers += observers
            let pipeline = ImagePipeline(configuration)
            let run = FetchRun(
                pipeline: pipeline, request: request, output: output,
                width: concurrency + ProcessInfo.processInfo.activeProcessorCount, report: report)
            let allLoaded = await run.run(sources)
            try await pipeline.flush()
            if !allLoaded { throw ExitCode.failure }
        }
    }

    /// What is asked of every source.
    private func request(_ source: ImageSource) -> ImageRequest {
        parts.applied(to: policy.applied(to: ImageRequest(source: source)))
            .decoded(thumbnail.map { .fit($0) } ?? .full)
            .frames(firstFrame ? .first : .all)
            .with { $0.policy.data = output == nil ? .whenLoaded : .always }
    }

    private var configuration: PipelineConfiguration {
        var downloader = http.configuration
        downloader.maximumConcurrentDownloads = concurrency
        downloader.connectionsPerHost = concurrency
        return http.applied(to: .standard(downloader: downloader, disk: cache.diskCache))
    }

    private var report: FetchReport {
        FetchReport(
            style: json ? .json : quiet ? .quiet : .human, showsMetrics: metrics,
            showsProgress: !quiet && StandardError.isTerminal)
    }
}
