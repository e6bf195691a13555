import Foundation
import TintypeCore

/// Sources that the operator wants to be asked for again.
package enum PurgedSources: Hashable, Sendable {
    /// One source.
    case url(SourceURL)
    /// All sources whose URLs begin so.
    case prefix(String)

    /// Returns whether the sources include the one of a URL.
    func contains(_ text: String) -> Bool {
        switch self {
        case .url(let url): url.text == text
        case .prefix(let prefix): text.utf8.starts(with: prefix.utf8)
        }
    }
}

extension ImageService {
    /// Forgets sources and what is known of them, on this machine, so that the next request asks their origins.
    /// Renditions are found by the bytes of their source, so they need not be removed. A load that runs would bring the
    /// former bytes back, so it begins again.
    package func purge(_ sources: PurgedSources) async {
        await sourceLoads.pausing({ sources.contains($0) }) { await forget(sources) }
    }

    private func forget(_ sources: PurgedSources) async {
        records.removeAll { sources.contains($0) }
        failures.removeAll { sources.contains($0) }
        recent.withLock { $0.purge() }
        await configuration.passThrough?.remove(sources)
        switch sources {
        case .url(let source):
            guard let url = source.url else { return }
            let cache = configuration.pipeline.configuration.cache
            let key = configuration.pipeline.cacheKey(for: ImageRequest(url: url)).original
            _ = try? await WorkQueue.disk.run(for: JobContext(priority: .normal)) { cache.remove(key, from: .all) }
        case .prefix(let prefix):
            let cache = configuration.pipeline.configuration.cache as? ImageCache
            await cache?.disk?.removeAtLeast(sourcesFrom: prefix)
        }
    }
}
