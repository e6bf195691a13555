import Foundation
import Tintype

/// Loads a list of sources into the disk cache, a few at a time.
struct PrefetchRun: Sendable {
    let pipeline: InterruptiblePipeline
    /// The maximum number of images that are loaded at once.
    let width: Int
    /// Whether images are loaded even if the cache has them.
    let reloads: Bool
    let display: ProgressDisplay?
    let hint: FailureHint

    /// Loads the images until the user interrupts it, and reports those that fail on standard error.
    ///
    /// - Returns: The outcomes of the sources. Those that the cache had already count as finished.
    func run(_ sources: [SourceArgument]) async throws -> BatchTally {
        var tally = BatchTally(total: sources.count)
        display?.begin(total: sources.count)
        defer { display?.end() }
        try await BatchRun.run(sources, width: width, until: pipeline.interruption, load) { source, error in
            tally.add(error == nil ? .finished : .failed)
            display?.finish()
            report(error.map { hint.description($0.about(SourceArgument.displayName(of: source.text))) })
        }
        return tally
    }

    private func report(_ failure: String?) {
        guard let display else {
            if let failure { StandardError.write("tintype: \(failure)") }
            return
        }
        display.interrupt { if let failure { StandardError.write("tintype: \(failure)") } }
    }

    /// - Returns: The error with which the load failed; `nil` instead of a pair if the user has interrupted it.
    private func load(_ source: SourceArgument) async -> (SourceArgument, TintypeError?)? {
        do throws(TintypeError) {
            try await store(source)
            return (source, nil)
        } catch {
            return error.code == .cancelled ? nil : (source, error)
        }
    }

    private func store(_ source: SourceArgument) async throws(TintypeError) {
        let image = try Self.source(source)
        // The bytes were verified before they were stored.
        if !reloads, await pipeline.pipeline.cachedData(for: ImageRequest(source: image)) != nil { return }
        let request = FetchPlan().request(for: image).freshness(reloads ? .reload : .cached)
        _ = try await pipeline.response(for: request, showing: source.text, on: display)
    }

    /// Returns the source that the disk cache can store.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` for anything else, which is available without the cache.
    static func source(_ argument: SourceArgument) throws(TintypeError) -> ImageSource {
        let source = try argument.source()
        guard source.isWorthKeepingOnDisk else {
            throw TintypeError(
                .invalidSource, stage: .request, "only images from the network are cached, not files and data URLs")
        }
        return source
    }
}

/// The result of a prefetch, as `--json` writes it.
struct PrefetchRecord: Encodable {
    /// The number of images that are in the cache.
    let finished: Int
    let failed: Int
    let total: Int
}
