import Foundation

/// The header of an image that is still arriving. An object, so that a status that contains it is copied cheaply.
final class EarlyHeader: Sendable {
    let info: ImageInfo

    init(_ info: ImageInfo) {
        self.info = info
    }
}

extension PreviewPump {
    /// Reads the header on the pixel queue, if enough new bytes have arrived for an attempt. Reports it to all
    /// receivers of the load.
    ///
    /// Called by the receivers that ask for the header, whenever the load reports its status.
    func readHeader() {
        let bytes = state.withLock { state -> ReceivedBytes? in
            guard !state.isStopped, let received = state.received else { return nil }
            return state.header.begin(state.status.progress) ? received : nil
        }
        guard let bytes else { return }
        WorkQueue.pixels.enqueue(at: load.job.priority) { self.attemptHeader(bytes) }
    }

    private func attemptHeader(_ bytes: ReceivedBytes) {
        let result = load.job.isCancelled ? .failure(.cancelled) : info(of: bytes.head(HeaderAttempts.limit))
        let status = state.withLock { state -> LoadStatus? in
            guard let info = state.header.end(result), !state.isStopped else { return nil }
            state.status.header = EarlyHeader(info)
            return state.status
        }
        if let status { return load.reporter.report(status.offering(self)) }
        // More bytes may have arrived during this attempt, and no others may follow for a long time.
        readHeader()
    }

    private func info(of head: Data) -> Result<ImageInfo?, TintypeError> {
        let configuration = load.services.configuration
        return Result { () throws(TintypeError) in
            try configuration.coders.info(
                of: head, isComplete: false, limits: configuration.decodeLimits, load.request.rendition.decode,
                name: load.request.source.name)
        }
    }
}

extension LoadStatus {
    /// Returns the status with a reader of the header, unless the header is known.
    func offering(_ reader: PreviewPump) -> LoadStatus {
        guard header == nil else { return self }
        var status = self
        status.headerReader = reader
        return status
    }
}

/// Decides when the header of an arriving image is read. Each attempt waits for twice as many bytes as the one before,
/// so all attempts together read about twice the bytes of the last one.
struct HeaderAttempts: Sendable {
    /// The number of bytes of the final attempt. The header of few images is longer.
    static let limit = 1 << 20

    private var isBusy = false
    private var isOver = false
    private var nextCount: Int

    /// - Parameter headLength: The number of bytes that suffices to choose the decoder of most images.
    init(headLength: Int = FormatSniffer.length) {
        nextCount = headLength
    }

    /// Returns whether an attempt is due, and counts it as begun. No attempt is due if all bytes have arrived, because
    /// the image is decoded next.
    mutating func begin(_ progress: LoadProgress) -> Bool {
        guard !isBusy, !isOver, progress.received >= nextCount, progress.received != progress.expected else {
            return false
        }
        isBusy = true
        isOver = progress.received >= Self.limit
        nextCount = progress.received * 2
        return true
    }

    /// Ends an attempt, and returns the header if it was found. After a header or an error, no further attempt is due.
    mutating func end(_ result: Result<ImageInfo?, TintypeError>) -> ImageInfo? {
        isBusy = false
        switch result {
        case .success(nil): return nil
        case .success(let info):
            isOver = true
            return info
        case .failure:
            isOver = true
            return nil
        }
    }
}
