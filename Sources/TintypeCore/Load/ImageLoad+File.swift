import Foundation

// Local files. Their bytes have no job of their own: reading a file again takes less time than waiting for an equal
// load that reads it, and the thread that has read a file can decode it.

extension ImageLoad {
    /// The file to read, if the loader of the request is the `FileLoader`.
    var localFile: URL? {
        guard case .url(let url) = request.source, url.isFileURL,
            services.loaders(for: request).loader(for: request) is FileLoader
        else { return nil }
        return url
    }

    /// Reads and decodes a file. There is no thread change between the two if the pixel queue has room.
    func decodeFile(_ url: URL) async throws(TintypeError) -> ImageResponse {
        try checkLoadersAreAllowed()
        let previews = PreviewPump(self)
        defer { previews.stop() }
        let (bytes, image): (LoadedBytes, Result<Image, TintypeError>)
        do throws(TintypeError) {
            try await waitUntilLoadable()
            defer { services.didStore(for: request) }
            (bytes, image) = try await readAndDecode(url, previews)
        } catch {
            remember(error)
            guard let part = partialBytes(previews.received, leftBy: error) else { throw error }
            return try await decodeAndStore(part)
        }
        return try await decodeAndStore(bytes, decoded: image)
    }

    private func readAndDecode(
        _ url: URL, _ previews: PreviewPump
    ) async throws(TintypeError) -> (LoadedBytes, Result<Image, TintypeError>) {
        let key = request.key
        let decode = blockingDecode(request.rendition.decode)
        let read: @Sendable () throws(TintypeError) -> LoadedBytes? = { [self] () throws(TintypeError) in
            try watch.blockingWatch(.load, key.original, byteCount: { $0.data.count }) { run throws(TintypeError) in
                try self.read(url, previews, run)
            }
        }
        let result = try await WorkQueue.disk.run(for: job, read, then: .pixels) { [watch] bytes throws(TintypeError) in
            // Decoding needs the memory of the previews.
            previews.stop()
            // A `Result`, so that the bytes of a file that does not decode are known.
            let image = Result { () throws(TintypeError) in
                try watch.blockingWatch(.decode, key) { _ throws(TintypeError) in try decode(bytes.data) }
            }
            return (bytes, image)
        }
        guard let result else { throw .cancelled }
        return result
    }

    private func read(
        _ url: URL, _ previews: PreviewPump, _ run: StageRun?
    ) throws(TintypeError) -> LoadedBytes {
        var reporter = JobReporter<ReceivedBytes> { previews.receive($0) }
        if !watch.isIdle { reporter = ResponseNotice(watch, run).reporter(before: reporter) }
        let received = ReceivedBytes(limit: services.configuration.maximumByteCount, onProgress: reporter.report)
        let data = try FileLoader.read(url, into: received, for: job)
        guard !data.isEmpty else { throw TintypeError(.emptyBody, stage: .load, "the file is empty") }
        return LoadedBytes(file: data, received: services.receiptDate())
    }
}
