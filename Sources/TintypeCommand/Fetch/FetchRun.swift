import Foundation
import Tintype

/// Loads a list of sources, a few at a time, and reports each when it finishes.
struct FetchRun: Sendable {
    let pipeline: InterruptiblePipeline
    let plan: FetchPlan
    /// Adds the policy that the user chose to a request.
    let policy: @Sendable (ImageRequest) -> ImageRequest
    /// The paths for the original bytes, or `nil` to write none.
    let paths: SharedPaths?
    /// Whether existing files are left as they are. Their images are not loaded if the path is known in advance.
    var skipsExisting = false
    /// Whether nothing is loaded or written.
    var isDryRun = false
    /// The maximum number of running loads: those that transfer, and those that decode meanwhile.
    let width: Int
    let report: FetchReport
    var hint = FailureHint()

    /// Loads each distinct image once, until the user interrupts it.
    ///
    /// - Returns: The outcomes of the sources, each counted as often as it was listed.
    /// - Throws: `TintypeError.Code.unwritable` if the report cannot be written. The other loads are cancelled.
    func run(_ inputs: [BatchInput]) async throws -> BatchTally {
        var counts: [SourceArgument: Int] = [:]
        for input in inputs where input.problem == nil { counts[input.source, default: 0] += 1 }
        report.begin(total: inputs.count)
        defer { report.end() }
        var tally = BatchTally(total: inputs.count)
        try await BatchRun.run(inputs.distinct, width: width, until: pipeline.interruption, load) { input, record in
            let times = input.problem == nil ? counts[input.source] ?? 1 : 1
            tally.add(record.outcome, times: times)
            try report.add(record, times: times)
        }
        return tally
    }

    /// - Returns: `nil` if the user has interrupted the load.
    private func load(_ input: BatchInput) async -> (BatchInput, FetchRecord)? {
        do throws(TintypeError) {
            return (input, try await record(of: input))
        } catch {
            return error.code == .cancelled ? nil : (input, FetchRecord(input.source.text, error, hint))
        }
    }

    private func record(of input: BatchInput) async throws(TintypeError) -> FetchRecord {
        if let failure = input.failure { throw failure }
        let start = ContinuousClock.now
        let text = input.source.text
        let known = paths?.path(of: input)
        if let known, isSkipped(known) { return FetchRecord(text, .skipped, output: known) }
        guard !isDryRun else { return FetchRecord(text, .planned, output: known) }
        let request = policy(plan.request(for: try input.source.source()))
        let response = try await pipeline.response(for: request, showing: text, on: report.display)
        var output: String?
        if let paths, let data = response.data {
            let info = response.image.info
            output = try paths.claimPath(of: input, info.format, info.size) ?? "-"
            guard let output, !isSkipped(output) else { return FetchRecord(text, .skipped, output: output) }
            try await write(data, to: output)
        }
        let size = plan.reportedSize(of: response.image)
        return FetchRecord(text, response, size, in: start.duration(to: .now), output: output)
    }

    /// - Parameter path: A path, or `-` for standard output.
    private func write(_ data: Data, to path: String) async throws(TintypeError) {
        guard path != "-" else { return try StandardOutput.write(bytes: data) }
        try OutputFile.createParent(of: path)
        try await OutputFile.writeUntrusted(data, to: path)
    }

    private func isSkipped(_ path: String) -> Bool {
        skipsExisting && path != "-" && access(path, F_OK) == 0
    }
}

/// The paths of outputs, shared by concurrent loads. A class, because a struct cannot hold a lock and be copied into
/// tasks.
final class SharedPaths: Sendable {
    private let paths: Locked<FetchPaths>

    init(_ paths: FetchPaths) {
        self.paths = Locked(paths)
    }

    func path(of input: BatchInput) -> String? { paths.withLock { $0.path(of: input) } }

    /// - Throws: `TintypeError.Code.unwritable` if another image has the path.
    func claimPath(
        of input: BatchInput, _ format: ImageFormat, _ size: PixelSize
    ) throws(TintypeError) -> String? {
        try paths.withLock { paths throws(TintypeError) in try paths.claimPath(of: input, format, size) }
    }
}

/// The output of `fetch`: a record for each source, and progress on a terminal.
final class FetchReport: Sendable {
    enum Style: Sendable {
        /// One line for each source.
        case human
        /// One JSON object for each source.
        case json
        /// Failures only.
        case quiet
    }

    private let style: Style
    private let showsMetrics: Bool
    let display: ProgressDisplay?

    init(style: Style, showsMetrics: Bool, showsProgress: Bool) {
        self.style = style
        self.showsMetrics = showsMetrics
        display = showsProgress ? ProgressDisplay() : nil
    }

    func begin(total: Int) { display?.begin(total: total) }
    func end() { display?.end() }

    /// Writes a record as often as its source was listed.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    func add(_ record: FetchRecord, times: Int) throws(TintypeError) {
        display?.finish(times: times)
        let record = showsMetrics ? record : record.withoutMetrics
        for _ in 0..<times {
            if let display {
                try display.interrupt { () throws(TintypeError) in try write(record) }
            } else {
                try write(record)
            }
        }
    }

    private func write(_ record: FetchRecord) throws(TintypeError) {
        if let warning = record.warning { StandardError.write(warning, style: .warning) }
        if let failure = record.failure { StandardError.write(failure) }
        switch style {
        case .human: try StandardOutput.write(lines: record.lines)
        case .json: try StandardOutput.write(json: record)
        case .quiet: break
        }
    }
}
