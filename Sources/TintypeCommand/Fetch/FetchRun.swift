import Foundation
import Tintype

/// Loads a list of sources, a few at a time, and reports each when it finishes.
struct FetchRun: Sendable {
    let pipeline: ImagePipeline
    let plan: FetchPlan
    /// Adds the policy that the user chose to a request.
    let policy: @Sendable (ImageRequest) -> ImageRequest
    /// The directory for the original bytes, or `nil` to write none.
    let output: String?
    /// The maximum number of running loads: those that transfer, and those that decode meanwhile.
    let width: Int
    let report: FetchReport
    let interruption: Interruption
    var hint = FailureHint()
    private let names = SharedNames()

    /// Loads each distinct source once, until the user interrupts it.
    ///
    /// - Returns: What became of the sources, each counted as often as it was listed.
    /// - Throws: ``TintypeError/Code/unwritable`` if the report cannot be written. The other loads are cancelled.
    func run(_ sources: [SourceArgument]) async throws -> BatchTally {
        var counts: [SourceArgument: Int] = [:]
        let unique = sources.filter { source in
            counts[source, default: 0] += 1
            return counts[source] == 1
        }
        report.begin(total: sources.count)
        defer { report.end() }
        var tally = BatchTally()
        var cancelled = 0
        let waiting = try await BatchRun.run(unique, width: width, until: interruption, load) { source, record in
            let times = counts[source] ?? 1
            guard !record.isCancelled else { return cancelled += 1 }
            if case .failed = record { tally.add(.failed, times: times) } else { tally.add(.written, times: times) }
            try report.add(record, of: source, times: times)
        }
        tally.remaining = waiting + cancelled
        return tally
    }

    private func load(_ source: SourceArgument) async -> (SourceArgument, FetchRecord) {
        let start = ContinuousClock.now
        do throws(TintypeError) {
            let response = try await response(for: source)
            let path = try await write(response, of: source)
            let size = plan.reportedSize(of: response.image)
            return (source, FetchRecord(source.text, response, size, in: start.duration(to: .now), output: path))
        } catch {
            return (source, FetchRecord(source.text, error, hint))
        }
    }

    private func response(for source: SourceArgument) async throws(TintypeError) -> ImageResponse {
        let request = policy(plan.request(for: try source.source()))
        guard report.showsProgress else { return try await pipeline.response(for: request) }
        let task = pipeline.start(request)
        for await case .progress(let progress) in task.events { report.update(source, progress) }
        return try await task.response
    }

    /// Returns the path of the written file, or `nil` if nothing is to be written.
    private func write(_ response: ImageResponse, of source: SourceArgument) async throws(TintypeError) -> String? {
        guard let output, let data = response.data else { return nil }
        let name = names.next(OutputName(for: source.text, format: response.image.info.format))
        return try await OutputFile.write(data, named: name, in: output)
    }
}

/// The names in use, shared by concurrent loads. A class, because a struct cannot hold a lock and be copied into tasks.
private final class SharedNames: Sendable {
    private let names = Locked(OutputNames())

    func next(_ name: OutputName) -> String {
        names.withLock { $0.next(name) }
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
    private let display: ProgressDisplay?

    init(style: Style, showsMetrics: Bool, showsProgress: Bool) {
        self.style = style
        self.showsMetrics = showsMetrics
        display = showsProgress ? ProgressDisplay() : nil
    }

    var showsProgress: Bool { display != nil }

    func begin(total: Int) { display?.begin(total: total) }
    func end() { display?.end() }

    func update(_ source: SourceArgument, _ progress: LoadProgress) {
        display?.update(source.text, progress)
    }

    /// Writes a record as often as its source was listed.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    func add(_ record: FetchRecord, of source: SourceArgument, times: Int) throws(TintypeError) {
        display?.finish(source.text, times: times)
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
