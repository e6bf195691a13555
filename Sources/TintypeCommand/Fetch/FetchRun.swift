import Foundation
import Tintype

/// Loads a list of sources, a few at a time, and tells of each as it ends.
struct FetchRun: Sendable {
    let pipeline: ImagePipeline
    /// What is asked of a source.
    let request: @Sendable (ImageSource) -> ImageRequest
    let output: String?
    /// Loads under way at once: the transfers, and as many that are being decoded meanwhile.
    let width: Int
    let report: FetchReport
    private let names = Names()

    init(
        pipeline: ImagePipeline, request: @escaping @Sendable (ImageSource) -> ImageRequest, output: String?,
        width: Int,
        report: FetchReport
    ) {
        self.pipeline = pipeline
        self.request = request
        self.output = output
        self.width = width
        self.report = report
    }

    /// Returns whether every source was loaded.
    func run(_ sources: [SourceArgument]) async -> Bool {
        var counts: [SourceArgument: Int] = [:]
        let unique = sources.filter { source in
            counts[source, default: 0] += 1
            return counts[source] == 1
        }
        report.begin(total: sources.count)
        defer { report.end() }
        return await withTaskGroup(of: (SourceArgument, FetchRecord).self) { group in
            var waiting = unique[...]
            var allLoaded = true
            for source in waiting.prefix(width) { group.addTask { await load(source) } }
            waiting = waiting.dropFirst(width)
            for await (source, record) in group {
                if case .failed = record { allLoaded = false }
                report.tell(record, of: source, times: counts[source] ?? 1)
                if let next = waiting.popFirst() { group.addTask { await load(next) } }
            }
            return allLoaded
        }
    }

    private func load(_ source: SourceArgument) async -> (SourceArgument, FetchRecord) {
        let start = ContinuousClock.now
        do throws(TintypeError) {
            let response = try await response(source)
            let path = try await write(response, source)
            return (source, FetchRecord(source.text, response, in: start.duration(to: .now), output: path))
        } catch {
            return (source, FetchRecord(source.text, error))
        }
    }

    private func response(_ source: SourceArgument) async throws(TintypeError) -> ImageResponse {
        let task = pipeline.start(request(try source.source()))
        for await event in task.events {
            switch event {
            case .progress(let progress): report.update(source, progress)
            case .preview: break
            case .finished(let result): return try result.get()
            }
        }
        throw .cancelled
    }

    private func write(_ response: ImageResponse, _ source: SourceArgument) async throws(TintypeError) -> String? {
        guard let output, let data = response.data else { return nil }
        let path = "\(output)/\(names.next(for: source.text, format: response.image.info.format))"
        try await OutputFile.write(data, to: path)
        return path
    }
}

/// The names given so far, which loads that end at the same time share.
private final class Names: Sendable {
    private let names = Locked(OutputNames())

    func next(for url: String, format: ImageFormat) -> String {
        names.withLock { $0.next(for: url, format: format) }
    }
}

/// What a person or a program is told while sources are fetched.
final class FetchReport: Sendable {
    enum Style: Sendable {
        /// A line a source, and progress on a terminal.
        case human
        /// A JSON object a source.
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

    func begin(total: Int) { display?.begin(total: total) }
    func end() { display?.end() }

    func update(_ source: SourceArgument, _ progress: LoadProgress) {
        display?.update(source.text, progress)
    }

    func tell(_ record: FetchRecord, of source: SourceArgument, times: Int) {
        display?.finish(source.text, times: times)
        for _ in 0..<times { tell(record) }
    }

    private func tell(_ record: FetchRecord) {
        let record = showsMetrics ? record : record.withoutMetrics
        if let warning = record.warning { say { StandardError.write(warning) } }
        if style == .json { say { StandardOutput.write(json: record) } }
        switch (record, style) {
        case (.failed, _): say { StandardError.write(record.line) }
        case (.loaded, .human): say { record.lines.forEach { StandardOutput.write($0) } }
        case (.loaded, _): break
        }
    }

    private func say(_ body: () -> Void) {
        if let display { display.interrupt(body) } else { body() }
    }
}
