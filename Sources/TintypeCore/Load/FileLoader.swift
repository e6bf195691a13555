import Foundation

/// Loads `file:` URLs.
public struct FileLoader: ImageLoader {
    public init() {}

    public func canLoad(_ source: ImageSource) -> Bool {
        guard case .url(let url) = source else { return false }
        return url.isFileURL
    }

    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard let url = source.url, url.isFileURL else {
            throw TintypeError(.invalidSource, stage: .load, "not a file URL", subject: source.displayName)
        }
        return try await WorkQueue.disk.run(for: context.job) { () throws(TintypeError) in
            try Self.read(url, context)
        }
    }

    private static func read(_ url: URL, _ context: LoadContext) throws(TintypeError) -> LoadedBytes {
        let file = try LocalFile(reading: url.path(percentEncoded: false))
        try file.aboutItself { () throws(TintypeError) in
            try context.received.expect(file.byteCount)
            try file.readAll { bytes throws(TintypeError) in
                try context.job.checkCancelled()
                try context.received.append(bytes)
            }
        }
        return LoadedBytes(data: context.received.take(), origin: .file)
    }
}
