import ArgumentParser
import Foundation
import Tintype

/// `tintype info`: reports the format, size and frames of images.
struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Report the format, size and frames of images.",
        discussion: """
            For a local file, reads only the header, and all frame delays of an animation. --palette, --blurhash and \
            --thumbhash also decode the image; --verify reads all of it. A URL is loaded through the caches; - is standard \
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
    var operands: [SourceOperand] = []

    @OptionGroup(title: "Inputs") var inputs: InputOptions
    @OptionGroup var parallel: JobOptions
    @OptionGroup(title: "Cache", visibility: .rare) var cache: CacheOptions
    @OptionGroup(title: "Transfers", visibility: .rare) var transfer: TransferOptions

    @Flag(help: "Write one JSON object per source, each on its own line.")
    var json = false

    @Flag(help: "Verify each image completely, with every frame; a damaged image is a failure.")
    var verify = false

    @OptionGroup var appearance: AppearanceOptions
    @OptionGroup var partial: PartialOptions
    @OptionGroup var terminal: TerminalOptions

    func validate() throws { try inputs.validate(operands.sources, expecting: "source") }

    func run() async throws {
        let inputs = try inputs.inputs(operands.sources)
        let inspector = inspector(of: inputs)
        let display = verify && inputs.count > 1 && StandardError.showsProgress ? ProgressDisplay() : nil
        display?.begin(total: inputs.count)
        defer { display?.end() }
        var report = InfoReport(
            writesJSON: json, isOnly: inputs.count == 1, display: display,
            hint: FailureHint(offersPartial: !partial.partial, transfer: transfer), total: inputs.count)
        let chunks = inputs.chunks(ofCount: inspector.chunkSize(for: inputs))
        try await BatchRun.run(
            chunks, width: parallel.width, until: inspector.pipeline.interruption, inspector.results
        ) { number, results in
            try report.add(results, number: number)
        }
        try report.end()
        await inspector.pipeline.flush()
        try report.tally.end(.finished, "inspected")
    }

    private func inspector(of inputs: [BatchInput]) -> Inspector {
        // Handling signals takes a thread, which costs more than one header.
        let isShort = inputs.count == 1 && !verify && !appearance.isRequested && inputs[0].source.path != nil
        let pipeline = transfer.pipeline(disk: cache.diskCache, until: isShort ? .none : .shared)
        return Inspector(
            pipeline: pipeline, partial: partial, appearance: appearance, verifies: verify,
            isGuarded: transfer.isGuarded)
    }
}

/// The output of `info`: a record for each image in the order of the inputs, and progress on a terminal.
struct InfoReport {
    let writesJSON: Bool
    /// Whether this is the only image. With several images, an empty line follows each.
    let isOnly: Bool
    let display: ProgressDisplay?
    let hint: FailureHint
    private(set) var tally: BatchTally
    private var ordered = InOrder<[Inspector.Result]>()

    init(writesJSON: Bool, isOnly: Bool, display: ProgressDisplay?, hint: FailureHint, total: Int) {
        (self.writesJSON, self.isOnly, self.display, self.hint) = (writesJSON, isOnly, display, hint)
        tally = BatchTally(total: total)
    }

    /// Adds the results of a chunk, and writes those that are due.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    mutating func add(_ results: [Inspector.Result], number: Int) throws(TintypeError) {
        for result in results { display?.finish(bytes: (try? result.get().bytes) ?? 0) }
        try writeDue(ordered.add(results, number: number).flatMap(\.self))
    }

    /// Writes the results that follow one that the user has interrupted, and ends the progress.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    mutating func end() throws(TintypeError) {
        try writeDue(ordered.drain().flatMap(\.self))
        display?.end()
    }

    private mutating func writeDue(_ due: [Inspector.Result]) throws(TintypeError) {
        for result in due { tally.add(result.isFailure ? .failed : .finished) }
        guard let display else { return try write(due) }
        try display.interrupt { () throws(TintypeError) in try write(due) }
    }

    /// Writes results in their order, as many records at once as possible.
    private func write(_ results: [Inspector.Result]) throws(TintypeError) {
        var records: [InfoRecord] = []
        for result in results {
            switch result {
            case .success(let record): records.append(record)
            case .failure(let error):
                try write(records)
                records = []
                StandardError.write("tintype: \(hint.description(error))")
            }
        }
        try write(records)
    }

    private func write(_ records: [InfoRecord]) throws(TintypeError) {
        if writesJSON { return try StandardOutput.write(jsonLines: records) }
        try StandardOutput.write(lines: records.flatMap { $0.lines + (isOnly ? [] : [""]) })
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
