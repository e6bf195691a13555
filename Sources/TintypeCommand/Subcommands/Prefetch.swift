import ArgumentParser
import Foundation
import Tintype

/// `tintype prefetch`: loads images into the disk cache.
struct Prefetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load images into the disk cache.",
        discussion: """
            Images that are already in the cache are skipped. Each failure is one line on standard error and does \
            not stop the other loads.

            Examples:
              tintype prefetch --from urls.txt
              tintype prefetch --concurrency 10 --json https://example.org/a.jpg
            """)

    @OptionGroup var sources: SourceOptions

    @OptionGroup var cache: CacheLocation

    @Flag(help: "Load again, even if the cache has the image.")
    var reload = false

    @Option(help: ArgumentHelp("Load at most this many images at once.", valueName: "n"))
    var concurrency = 3

    @OptionGroup var transfer: TransferOptions

    @OptionGroup var tracing: TraceOptions

    @OptionGroup var terminal: TerminalOptions

    @Flag(help: "Write one JSON object with the number of finished images, of skipped images, and of all images.")
    var json = false

    @Flag(help: "Report failures only.")
    var quiet = false

    func validate() throws {
        try validate(concurrency, in: 1...1000, for: "--concurrency")
    }

    func run() async throws {
        let sources = try sources.all()
        try await tracing.withRecording { observers in
            var configuration = configuration
            configuration.observers += observers
            let pipeline = ImagePipeline(configuration)
            let progress = try await PrefetchRun(
                pipeline: pipeline, concurrency: concurrency, freshness: reload ? .reload : .cached,
                showsProgress: !quiet && StandardError.showsProgress
            ).run(sources)
            try await pipeline.flush()
            try report(progress)
            if progress.skipped > 0 { throw ExitCode.failure }
        }
    }

    private func report(_ progress: PrefetchProgress) throws(TintypeError) {
        if json {
            try StandardOutput.write(json: PrefetchRecord(progress))
        } else if !quiet {
            let failed = progress.skipped == 0 ? "" : ", \(progress.skipped) failed"
            try StandardOutput.write("\(progress.finishedCount) of \(progress.total) images are in the cache\(failed)")
        }
    }

    private var configuration: PipelineConfiguration {
        var downloader = transfer.configuration
        downloader.maximumConcurrentDownloads = concurrency
        downloader.connectionsPerHost = concurrency
        return transfer.applied(to: .standard(downloader: downloader, memory: nil, disk: cache.diskCache))
    }
}

/// The result of a prefetch, as `--json` writes it.
struct PrefetchRecord: Encodable {
    let finished: Int
    let skipped: Int
    let total: Int

    init(_ progress: PrefetchProgress) {
        finished = progress.finishedCount
        skipped = progress.skipped
        total = progress.total
    }
}

/// Prefetches a list of sources to disk, with progress on a terminal.
struct PrefetchRun {
    let pipeline: ImagePipeline
    let concurrency: Int
    let freshness: LoadPolicy.Freshness
    let showsProgress: Bool

    /// - Throws: ``TintypeError/Code/invalidSource`` for a source that is not a URL, before anything is loaded.
    func run(_ sources: [SourceArgument]) async throws(TintypeError) -> PrefetchProgress {
        var requests: [ImageRequest] = []
        for source in sources { requests.append(ImageRequest(source: try source.source()).freshness(freshness)) }
        let prefetcher = ImagePrefetcher(
            pipeline, settings: PrefetchSettings(destination: .disk, concurrency: concurrency, priority: .normal))
        let batch = prefetcher.prefetch(requests) { source, error in
            guard let error else { return }
            let description = FailureHint().description(error.about(source.displayName))
            StandardError.write("tintype: \(description)", after: eraseLine)
        }
        for await progress in batch.updates where showsProgress { show(progress) }
        if showsProgress { StandardError.write(raw: eraseLine) }
        return batch.progress
    }

    private func show(_ progress: PrefetchProgress) {
        StandardError.write(raw: "\(eraseLine)\(progress.finishedCount + progress.skipped) of \(progress.total) done")
    }

    /// The control sequence that erases the line with the progress.
    private var eraseLine: String { showsProgress ? "\r\u{1B}[K" : "" }
}
