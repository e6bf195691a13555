import Foundation
import TintypeCore

/// A response body that still arrives, possibly after bytes that an interrupted transfer left.
final class ResponseBody: Sendable {
    /// The limits on the size of a body.
    struct Limits: Sendable {
        /// The maximum number of bytes, both as sent and decoded.
        let byteCount: Int
        /// The maximum number of decoded bytes for each byte that was sent.
        let expansion: Int
    }

    let stream: ResponseStream
    let coding: ContentCoding?
    /// `Content-Length`: the number of bytes as sent, with their content coding.
    let announced: Int?
    let limits: Limits
    private let transfer: Transfer
    /// The bytes of an interrupted transfer that this body continues.
    private let prefix: Data
    /// Records the received bytes if the body breaks off.
    private let resumption: Resumption?
    /// What reads the body.
    private let reader = Locked(Reader.none)

    /// The one that reads a body. A stream has one reader, and another one has no use for the rest of a body.
    private enum Reader: Sendable {
        typealias Collection = SharedPromise<Result<Data, TintypeError>>

        case none
        /// All calls of ``collect()`` share the bytes, or the error. The collection ends when none waits for it any
        /// more.
        case collection(Collection, waiterCount: Int)
        /// The transfer, or nobody any more.
        case transfer
    }

    /// Creates a body that arrives over `stream`.
    ///
    /// - Parameters:
    ///   - announced: `Content-Length`; `nil` when it is missing, or when the response has no body.
    ///   - prefix: The bytes of an interrupted transfer that this body continues.
    init(
        _ stream: ResponseStream, coding: ContentCoding?, announced: Int?, in transfer: Transfer, after prefix: Data,
        resumption: Resumption?
    ) {
        self.stream = stream
        self.coding = coding
        self.announced = announced
        limits = transfer.settings.limits
        self.transfer = transfer
        self.prefix = prefix
        self.resumption = resumption
    }

    /// Receives the body up to its end, removes its content coding, and returns it. Other calls, also simultaneous
    /// ones, return the same bytes or throw the same error, even if the task of one is cancelled. A large body is a
    /// mapping of a file without a name.
    ///
    /// - Throws: The errors of ``receive(into:)``; `TintypeError.Code.refusedResponse` when the transfer
    ///   receives the body already.
    func collect() async throws -> Data {
        let (shared, isFirst) = try beginCollection()
        // A task of its own: when the first call is cancelled, others may still wait.
        if isFirst { Task { shared.fulfill(await collectStream()) } }
        return try await wait(for: shared)
    }

    private func beginCollection() throws(TintypeError) -> (Reader.Collection, isFirst: Bool) {
        try reader.withLock { reader throws(TintypeError) in
            switch reader {
            case .collection(let shared, let count):
                reader = .collection(shared, waiterCount: count + 1)
                return (shared, false)
            case .transfer:
                throw TintypeError(
                    .refusedResponse, stage: .load, "an interceptor collects a body that the transfer receives already")
            case .none:
                let shared = Reader.Collection()
                reader = .collection(shared, waiterCount: 1)
                return (shared, true)
            }
        }
    }

    private func wait(for shared: Reader.Collection) async throws -> Data {
        try await shared.wait {
            self.leaveCollection()
            return .failure(.cancelled)
        }.get()
    }

    /// Ends one wait for the collection, and with the last one the response.
    private func leaveCollection() {
        let isLast = reader.withLock { reader in
            guard case .collection(let shared, let count) = reader else { return false }
            reader = .collection(shared, waiterCount: count - 1)
            return count == 1
        }
        if isLast { stream.cancel() }
    }

    private func collectStream() async -> Result<Data, TintypeError> {
        let received = ReceivedBytes(limit: limits.byteCount)
        do {
            try await receiveStream(into: received)
            return .success(try await received.takeAll(for: transfer.job).data)
        } catch {
            return .failure(error as? TintypeError ?? TintypeError(transport: error))
        }
    }

    /// Makes the caller the only reader of the body, unless it is collected.
    ///
    /// - Returns: Whether the caller is the reader.
    private func beginReading() -> Bool {
        reader.withLock { reader in
            if case .collection = reader { return false }
            reader = .transfer
            return true
        }
    }

    /// Reads a body of at most 4096 bytes to its end. See ``DownloadBody/discard()``.
    func discard() async {
        guard let announced, announced <= 4096, beginReading() else { return }
        var count = 0
        while count <= announced, let part = try? await stream.part(), !part.isEmpty { count += part.count }
    }

    /// Receives the body up to its end, and removes its content coding. A body that was collected is not received
    /// again.
    ///
    /// - Throws: `TintypeError.Code.truncatedBody` when the body ends early,
    ///   `TintypeError.Code.limitExceeded` when it becomes too large,
    ///   `TintypeError.Code.undecipherable` when its content coding is damaged, or an error of the
    ///   transport.
    func receive(into received: ReceivedBytes) async throws {
        if beginReading() { return try await receiveStream(into: received) }
        try received.setAll(to: try await wait(for: try beginCollection().0))
    }

    private func receiveStream(into received: ReceivedBytes) async throws {
        do {
            if let announced, coding == nil { try received.expect(prefix.count + announced) }
            if !prefix.isEmpty { try await appendPrefix(to: received) }
            let decoder = try coding.map { coding throws(TintypeError) in try coding.decoder(limits) }
            var count = 0
            while case let part = try await stream.part(), !part.isEmpty {
                count += part.count
                guard count <= limits.byteCount else { throw tooLarge }
                try append(part, to: received, decoder)
                if received.isWorthSpilling { try await received.spill(for: transfer.job) }
                if coding == nil { await resumption?.write(received, for: transfer.job) }
            }
            try finish(count, decoder)
        } catch {
            throw failure(error, received)
        }
    }

    /// Appends the bytes of the interrupted transfer in pieces, so that those of a large body move to a file meanwhile.
    @inline(never)
    private func appendPrefix(to received: ReceivedBytes) async throws(TintypeError) {
        var rest = prefix
        while !rest.isEmpty {
            let piece = rest.prefix(1 << 20)
            try piece.withTypedBytes { bytes throws(TintypeError) in try received.append(bytes) }
            if received.isWorthSpilling { try await received.spill(for: transfer.job) }
            rest = rest.dropFirst(piece.count)
        }
    }

    private func append(
        _ part: Data, to received: ReceivedBytes, _ decoder: (any BodyDecoder)?
    ) throws(TintypeError) {
        // A part that is the whole body is used without a copy.
        if decoder == nil, prefix.isEmpty, part.count == announced { return try received.setAll(to: part) }
        guard let decoder else { return try received.append(part) }
        try part.withTypedBytes { bytes throws(TintypeError) in
            try decoder.decode(bytes) { bytes throws(TintypeError) in try received.append(bytes) }
        }
    }

    /// - Parameter count: The bytes that arrived, with their content coding.
    private func finish(_ count: Int, _ decoder: (any BodyDecoder)?) throws(TintypeError) {
        transfer.meter.recordBody(wireBytes: count)
        // The transfer may have been cancelled after the last part.
        guard !Task.isCancelled else { throw .cancelled }
        if let announced, announced != count { throw Self.truncated(count, of: announced) }
        try decoder?.finish()
    }

    private var tooLarge: TintypeError { .exceeded(byteLimit: limits.byteCount) }

    /// Returns the error to throw, and records the received bytes if the transfer can be resumed.
    private func failure(_ error: any Error, _ received: ReceivedBytes) -> TintypeError {
        let failure = meaning(of: error, received)
        guard failure.code != .limitExceeded, coding == nil else { return failure }
        resumption?.recordInterruption {
            let data = received.resumable
            return data.count < prefix.count ? prefix : data
        }
        return failure
    }

    /// Returns the error to throw: `TintypeError.Code.truncatedBody` for a broken connection, otherwise
    /// the error that corresponds to `error`.
    private func meaning(of error: any Error, _ received: ReceivedBytes) -> TintypeError {
        if let error = error as? TintypeError { return error }
        if Task.isCancelled { return .cancelled }
        let failure = TintypeError(transport: error)
        guard failure.code == .transport else { return failure }
        let progress = received.progress
        return Self.truncated(progress.received, of: progress.expected, underlying: error)
    }

    private static func truncated(
        _ count: Int, of length: Int?, underlying: (any Error)? = nil
    ) -> TintypeError {
        let total = length.map { " of \($0)" } ?? ""
        return TintypeError(
            .truncatedBody, stage: .load, "the body ended early, after \(count)\(total) bytes", underlying: underlying)
    }
}
