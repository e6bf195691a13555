import ArgumentParser
import Foundation
import Tintype

/// `tintype info`: reports the format, size and frames of images.
struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report the format, size and frames of images.",
        discussion: """
            For a local file, reads only the header, and all frame delays of an animation. --palette, --blurhash and \
            --thumbhash also decode the image, and --verify all of it. A URL is loaded through the caches; - is standard \
            input. The exit status is the number of failures, at most 125. Width and height are those of the \
            displayed image, with its orientation applied.

            Examples:
              tintype info photo.jpg
              tintype info --json https://example.org/a.png
              tintype info --recursive --verify --json photos
              tintype info --palette --blurhash --thumbhash photo.jpg
            """)

    @Argument(
        help: ArgumentHelp("The paths of files, patterns such as 'photos/*.jpg', or URLs.", valueName: "source"))
    var sources: [SourceArgument] = []

    @OptionGroup(title: "Inputs") var inputs: InputOptions
    @OptionGroup var parallel: JobOptions
    @OptionGroup(title: "Cache", visibility: .hidden) var cache: CacheOptions
    @OptionGroup(title: "Transfers", visibility: .hidden) var transfer: TransferOptions

    @Flag(help: "Write one JSON object per source, each on its own line.")
    var json = false

    @Flag(help: "Decode all of each image, with every frame, and fail if it is damaged.")
    var verify = false

    @OptionGroup var appearance: AppearanceOptions
    @OptionGroup var partial: PartialOptions
    @OptionGroup var terminal: TerminalOptions

    func validate() throws {
        try inputs.validate(sources)
        guard !sources.isEmpty || inputs.from != nil else {
            throw ValidationError("no source given; name at least one, or a list of them with --from")
        }
    }

    func run() async throws {
        let sources = try inputs.inputs(sources).map(\.source)
        let inspector = Inspector(
            pipeline: ImagePipeline(
                transfer.applied(to: .standard(downloader: transfer.configuration, memory: nil, disk: cache.diskCache))),
            partial: partial, appearance: appearance, verifies: verify,
            isGuarded: transfer.isGuarded)
        var tally = BatchTally()
        var ordered = InOrder<[Inspector.Result]>()
        let chunks = sources.chunks(ofCount: Self.chunkSize)
        // Handling signals takes a thread, which costs more than one header.
        let interruption = sources.count > 1 ? Interruption.shared : .none
        let left = try await BatchRun.run(chunks, width: parallel.width, until: interruption, inspector.results) {
            chunk in
            for results in ordered.add(chunk.results, number: chunk.number) {
                try write(results, isOnly: sources.count == 1, &tally)
            }
        }
        tally.remaining = chunks.suffix(left).reduce(0) { $0 + $1.items.count }
        if tally.remaining > 0 {
            StandardError.write("tintype: interrupted: \(tally.remaining) not begun", style: .warning)
        }
        try await inspector.pipeline.flush()
        if tally.exitStatus != 0 { throw ExitCode(tally.exitStatus) }
    }

    /// Enough that the changes of threads cost little next to the headers of that many files.
    private static let chunkSize = 16

    /// Writes the results of a chunk in their order, as many records at once as possible.
    private func write(_ results: [Inspector.Result], isOnly: Bool, _ tally: inout BatchTally) throws(TintypeError) {
        var records: [InfoRecord] = []
        for result in results {
            switch result {
            case .success(let record): records.append(record)
            case .failure(let error):
                try write(records, isOnly: isOnly)
                records = []
                tally.add(.failed)
                StandardError.write("tintype: \(FailureHint(offersPartial: !partial.partial).description(error))")
            }
        }
        try write(records, isOnly: isOnly)
    }

    private func write(_ records: [InfoRecord], isOnly: Bool) throws(TintypeError) {
        if json { return try StandardOutput.write(jsonLines: records) }
        try StandardOutput.write(lines: records.flatMap { $0.lines + (isOnly ? [] : [""]) })
    }
}
