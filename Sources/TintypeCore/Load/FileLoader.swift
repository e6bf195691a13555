import Foundation

/// Loads `file:` URLs of regular files, on the disk queue.
package struct FileLoader: ImageLoader {
    /// Creates the loader.
    package init() {}

    /// Returns whether the source is a `file:` URL.
    package func canLoad(_ source: ImageSource) -> Bool {
        guard case .url(let url) = source else { return false }
        return url.isFileURL
    }

    /// Reads a regular file.
    ///
    /// - Throws: ``TintypeError/Code/invalidSource``, ``TintypeError/Code/notFound``, ``TintypeError/Code/unreadable``
    ///   or ``TintypeError/Code/limitExceeded``.
    @concurrent
    package func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard let url = source.url, url.isFileURL else {
            throw TintypeError(.invalidSource, stage: .load, "not a file URL", subject: source.displayName)
        }
        let (received, job) = (context.received, context.job)
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            LoadedBytes(data: try Self.read(url, into: received, for: job), origin: .file)
        }
    }

    /// The largest file that is read into one piece of memory at once: 1 MB.
    private static let wholeLimit = 1 << 20

    /// Reads a regular file. Blocks.
    ///
    /// - Throws: The errors of ``load(_:context:)``.
    static func read(
        _ url: URL, into received: ReceivedBytes, for job: JobContext
    ) throws(TintypeError) -> Data {
        let file = try LocalFile(reading: url.path(percentEncoded: false))
        try file.naming { () throws(TintypeError) in
            if file.byteCount <= min(wholeLimit, received.limit), let data = try file.readUnchanged() {
                return try received.setAll(to: data, expected: data.count)
            }
            try received.expect(file.byteCount)
            try file.readAll { bytes throws(TintypeError) in
                try job.checkCancelled()
                try received.append(bytes)
            }
        }
        return received.take()
    }
}
