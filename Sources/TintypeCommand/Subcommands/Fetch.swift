import ArgumentParser
import Foundation
import Tintype

struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load pictures, through the caches.",
        discussion: """
            Each URL is loaded once, however often it is given, and reported as often. One that fails does not stop the \
            others.

            Examples:
              tintype fetch https://example.org/a.jpg https://example.org/b.png
              tintype fetch --from urls.txt --output pictures --concurrency 12
              tintype fetch --thumbnail 200x200 --json https://example.org/a.jpg
            """)

    @Argument(help: ArgumentHelp("URLs, or paths of files.", valueName: "url"))
    var urls: [SourceArgument] = []

    @Option(
        help: ArgumentHelp(
            "A file with a URL on each line; - is standard input. Lines that begin with # do not count.",
            valueName: "file"))
    var from: String?

    @Option(help: ArgumentHelp("Write the original bytes into this directory.", valueName: "dir"))
    var output: String?

    @OptionGroup var cache: CacheOptions

    @Option(help: ArgumentHelp("Transfers at once.", valueName: "n"))
    var concurrency = 6

    @OptionGroup var http: HTTPOptions

    @Option(
        help: ArgumentHelp("Decode to at most this size, never larger than the picture.", valueName: "WxH"),
        transform: PixelSize.parsed)
    var thumbnail: PixelSize?

    @Flag(help: "One JSON object a line for each URL, in the order they finish.")
    var json = false

    @Flag(help: "Say nothing but what failed.")
    var quiet = false

    func validate() throws {
        guard !urls.isEmpty || from != nil else { throw ValidationError("Name a URL, or a list of them with --from.") }
        guard (1...1000).contains(concurrency) else { throw ValidationError("--concurrency takes 1 to 1000.") }
    }

    func run() async throws {
        let sources = urls + (try from.map(URLList.read) ?? [])
        if let output { try OutputFile.makeFolder(output) }
        let pipeline = ImagePipeline(configuration)
        let run = FetchRun(
            pipeline: pipeline, rendition: Rendition(decode: DecodeOptions(size: thumbnail.map { .fit($0) } ?? .full)),
            output: output, width: concurrency + ProcessInfo.processInfo.activeProcessorCount, report: report)
        let allLoaded = await run.run(sources)
        try await pipeline.flush()
        if !allLoaded { throw ExitCode.failure }
    }

    private var configuration: PipelineConfiguration {
        var downloader = http.configuration
        downloader.maximumConcurrentDownloads = concurrency
        downloader.connectionsPerHost = concurrency
        return .standard(downloader: downloader, disk: cache.diskCache)
    }

    private var report: FetchReport {
        FetchReport(
            style: json ? .json : quiet ? .quiet : .human,
            showsProgress: !quiet && StandardError.isTerminal)
    }
}
