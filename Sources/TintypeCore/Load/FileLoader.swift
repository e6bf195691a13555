import Foundation

/// Loads `file:` URLs of regular files, on the disk queue.
public struct FileLoader: ImageLoader {
    /// Creates the loader.
    public init() {}

    /// Returns whether the source is a `file:` URL.
    public func canLoad(_ source: ImageSource) -> Bool {
        guard case .url(let url) = source else { return false }
        return url.isFileURL
    }

    /// Reads a regular file.
    ///
    /// - Throws: ``TintypeError/Code/invalidSource``, ``TintypeError/Code/notFound``, ``TintypeError/Code/unreadable``
    ///   or ``TintypeError/Code/limitExceeded``.
    @concurrent
    public func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard let url = source.url, url.isFileURL else {
            throw TintypeError(.invalidSource, stage: .load, "not a file URL", subject: source.displayName)
        }
        return try await WorkQueue.disk.run(for: context.job) { () throws(TintypeError) in
            try Self.read(url, context)
        }
    }

    private static func read(_ url: URL, _ context: LoadContext) throws(TintypeError) -> LoadedBytes {
        let file = try LocalFile(reading: url.path(percentEncoded: false))
        try file.naming { () throws(TintypeError) in
            try context.received.expect(file.byteCount)
            try file.readAll { bytes throws(TintypeError) in
                try context.job.checkCancelled()
                try context.received.append(bytes)
            }
        }
        return LoadedBytes(data: context.received.take(), origin: .file)
    }
}
