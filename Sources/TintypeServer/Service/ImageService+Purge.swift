import Foundation
import TintypeCore

/// Sources that the operator wants to be asked for again.
package enum PurgedSources: Hashable, Sendable {
    /// One source.
    case url(SourceURL)
    /// All sources whose URLs begin so.
    case prefix(String)

    /// Returns whether the text of a URL is that of one of the sources.
    var contains: @Sendable (String) -> Bool {
        switch self {
        case .url(let url): { [text = url.text] in $0 == text }
        case .prefix(let prefix): { $0.utf8.starts(with: prefix.utf8) }
        }
    }
}

extension ImageService {
    /// Forgets sources and what is known of them, on this machine, so that the next request asks their origins.
    /// Renditions are found by the bytes of their source, so they need not be removed. A load that runs would bring the
    /// former bytes back, so it begins again.
    package func purge(_ sources: PurgedSources) async {
        await sourceLoads.pausing(sources.contains) { await forget(sources) }
    }

    private func forget(_ sources: PurgedSources) async {
        recent.withLock { $0.purge() }
        await configuration.passThrough?.remove(sources)
        switch sources {
        case .url(let source):
            records.remove(source.text)
            failures.remove(source.text)
            guard let url = source.url else { return }
            let cache = configuration.pipeline.configuration.cache
            let key = configuration.pipeline.cacheKey(for: ImageRequest(url: url)).original
            _ = try? await WorkQueue.disk.run(for: JobContext(priority: .normal)) { cache.remove(key, from: .all) }
        case .prefix(let prefix):
            records.removeAll(where: sources.contains)
            failures.removeAll(where: sources.contains)
            let cache = configuration.pipeline.configuration.cache as? ImageCache
            await cache?.disk?.removeAtLeast(sourcesFrom: prefix)
        }
    }
}
