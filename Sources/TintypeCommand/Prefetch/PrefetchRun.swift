import Foundation
import Tintype

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
