import ArgumentParser
import Foundation
import Tintype

/// `tintype prefetch`: loads images into the disk cache.
struct Prefetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefetch",
        abstract: "Load images into the disk cache.",
        discussion: """
            Images that are already in the cache are not loaded again. Only images from the network are cached. Each \
            failure is one line on standard error and does not stop the other loads; the exit status is the number of \
            failures, at most 125.

            Examples:
              tintype prefetch --from urls.txt
              tintype prefetch --concurrency 10 --json https://example.org/a.jpg
            """)

    @Argument(help: ArgumentHelp("HTTP URLs.", valueName: "url"))
    var operands: [SourceOperand] = []

    @OptionGroup var list: ListOptions

    @OptionGroup var cache: CacheLocation

    @Flag(help: "Load every image from the origin, even if the cache has it.")
    var reload = false

    @Option(help: ArgumentHelp("Load at most this many images at once.", valueName: "n"))
    var concurrency = 3

    @OptionGroup var transfer: TransferOptions

    @OptionGroup var tracing: TraceOptions

    @OptionGroup var terminal: TerminalOptions

    @Flag(help: "Write one JSON object with the fields finished, failed and total.")
    var json = false

    @Flag(help: "Report failures only.")
    var quiet = false

    func validate() throws {
        try list.validate(operands.sources, expecting: "URL")
        try validate(concurrency, in: 1...1000, for: "--concurrency")
    }

    func run() async throws {
        let sources = try list.appended(to: operands.sources)
        try await tracing.withRecording { observers in
            let pipeline = transfer.pipeline(
                disk: cache.diskCache, concurrency: concurrency, observers: observers, until: .shared)
            let tally = try await PrefetchRun(
                pipeline: pipeline, width: concurrency, reloads: reload,
                display: !quiet && StandardError.showsProgress ? ProgressDisplay() : nil,
                hint: FailureHint(transfer: transfer)
            ).run(sources)
            try await pipeline.pipeline.flush()
            try report(tally)
            try tally.end(.finished, "in the cache")
        }
    }

    private func report(_ tally: BatchTally) throws(TintypeError) {
        let (finished, failed) = (tally[.finished], tally[.failed])
        if json {
            try StandardOutput.write(json: PrefetchRecord(finished: finished, failed: failed, total: tally.total))
        } else if !quiet, tally.remaining == 0 {
            let failures = failed == 0 ? "" : ", \(failed) failed"
            try StandardOutput.write("\(finished) of \(tally.total) images are in the cache\(failures)")
        }
    }
}
