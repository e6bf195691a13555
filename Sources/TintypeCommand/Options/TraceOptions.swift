import ArgumentParser
import Foundation
import Tintype

/// Whether what the pipeline did is written down.
struct TraceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write every load and every stage into this file, for chrome://tracing or ui.perfetto.dev.",
            valueName: "file"))
    var trace: String?

    /// Records while `body` runs, and writes the trace even when that fails.
    ///
    /// - Parameter body: given the observers that its pipeline has to have.
    func recording(_ body: ([any PipelineObserver]) async throws -> Void) async throws {
        guard let trace else { return try await body([]) }
        let recorder = TraceRecorder()
        let result: Result<Void, any Error>
        do { result = .success(try await body([recorder])) } catch { result = .failure(error) }
        try await OutputFile.write(recorder.chromeTrace(), to: trace)
        try result.get()
    }
}
