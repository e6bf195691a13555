import ArgumentParser
import Foundation
import Tintype

struct Prefetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring pictures into the disk cache.",
        discussion: """
            What the cache has already is left alone. A picture that fails is one line on standard error, and does not \
            stop the others.

            Examples:
              tintype prefetch --from urls.txt
              tintype prefetch --concurrency 10 --json https://example.org/a.jpg
            """)

    @OptionGroup var sources: SourceOptions

    @OptionGroup var cache: CacheLocation

    @Flag(help: "Load anew, whatever the cache has.")
    var reload = false

    @Option(help: ArgumentHelp("Pictures at once.", valueName: "n"))
    var concurrency = 3

    @OptionGroup var http: TransferOptions

    @OptionGroup var tracing: TraceOptions

    @Flag(help: "One JSON object with the numbers of finished and skipped pictures.")
    var json = false

    @Flag(help: "Say nothing but what failed.")
    var quiet = false

    func validate() throws {
        guard (1...1000).contains(concurrency) else { throw ValidationError("--concurrency takes 1 to 1000.") }
    }

    func run() async throws {
        let sources = try sources.all()
        try await tracing.recording { observers in
            var configuration = configuration
            configuration.observers += observers
            let pipeline = ImagePipeline(configuration)
            let progress = try await PrefetchRun(
                pipeline: pipeline, concurrency: concurrency, freshness: reload ? .reload : .cached,
                showsProgress: !quiet && StandardError.isTerminal
            ).run(sources)
            try await pipeline.flush()
            tell(progress)
            if progress.skipped > 0 { throw ExitCode.failure }
        }
    }

    private func tell(_ progress: PrefetchProgress) {
        if json {
            StandardOutput.write(json: PrefetchRecord(progress))
        } else if !quiet {
            let failed = progress.skipped == 0 ? "" : ", \(progress.skipped) failed"
            StandardOutput.write("\(progress.finished) of \(progress.total) pictures are in the cache\(failed)")
        }
    }

    private var configuration: PipelineConfiguration {
        var downloader = http.configuration
        downloader.maximumConcurrentDownloads = concurrency
        downloader.connectionsPerHost = concurrency
        return http.applied(to: .standard(downloader: downloader, memory: nil, disk: cache.diskCache))
    }
}

/// How a prefetch ended, as `--json` writes it.
struct PrefetchRecord: Encodable {
    let finished: Int
    let skipped: Int
    let total: Int

    init(_ progress: PrefetchProgress) {
        finished = progress.finished
        skipped = progress.skipped
        total = progress.total
    }
}

/// Prefetches a list of sources to disk, and shows on a terminal how far it is.
struct PrefetchRun {
    let pipeline: ImagePipeline
    let concurrency: Int
    let freshness: LoadPolicy.Freshness
    let showsProgress: Bool

    /// - Throws: ``TintypeError/Code/invalidSource`` for what is no URL, before anything is loaded.
    func run(_ sources: [SourceArgument]) async throws(TintypeError) -> PrefetchProgress {
        var requests: [ImageRequest] = []
        for source in sources { requests.append(ImageRequest(source: try source.source()).freshness(freshness)) }
        let prefetcher = ImagePrefetcher(
            pipeline, settings: PrefetchSettings(destination: .disk, concurrency: concurrency, priority: .normal))
        let batch = prefetcher.prefetch(requests) { source, error in
            if let error { StandardError.write("\(erased)tintype: \(error.about(source.displayName))") }
        }
        for await progress in batch.updates where showsProgress { show(progress) }
        if showsProgress { StandardError.write(raw: erased) }
        return batch.progress
    }

    private func show(_ progress: PrefetchProgress) {
        StandardError.write(raw: "\(erased)\(progress.finished + progress.skipped) of \(progress.total) done")
    }

    /// Takes the line of progress away.
    private var erased: String { showsProgress ? "\r\u{1B}[K" : "" }
}
