import ArgumentParser
import Foundation
import Tintype

/// Whether a trace of the pipeline is written.
struct TraceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a trace of every load and its stages to this file, for chrome://tracing or ui.perfetto.dev.",
            valueName: "file"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var trace: PathArgument?

    /// Runs `body` and records a trace if one is requested. The trace is written even if `body` throws.
    ///
    /// - Parameter body: Adds the given observers to the configuration of its pipeline.
    func withRecording(_ body: ([any PipelineObserver]) async throws -> Void) async throws {
        guard let trace else { return try await body([]) }
        let recorder = TraceRecorder()
        let result: Result<Void, any Error>
        do { result = .success(try await body([recorder])) } catch { result = .failure(error) }
        try await OutputFile.write(recorder.chromeTrace(), to: trace.path)
        try result.get()
    }
}
