import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import TintypeCore

/// A body as it comes over the wire, perhaps behind bytes that an interrupted transfer left.
final class WireBody: Sendable {
    /// How large it may become.
    struct Limits: Sendable {
        let byteCount: Int
        let expansion: Int
    }

    let response: WireResponse
    let coding: ContentCoding?
    /// `Content-Length`: bytes on the wire.
    let announced: Int?
    let limits: Limits
    private let transfer: Transfer
    /// What comes first.
    let prefix: Data
    /// Is shown what had arrived when the body broke off.
    let keeper: PartialKeeper?

    /// - Parameters:
    ///   - announced: `Content-Length`, where there is a body.
    ///   - prefix: what an interrupted transfer has left in front of it.
    init(
        _ response: WireResponse, coding: ContentCoding?, announced: Int?, in transfer: Transfer, behind prefix: Data,
        keeper: PartialKeeper?
    ) {
        self.response = response
        self.coding = coding
        self.announced = announced
        limits = transfer.settings.limits
        self.transfer = transfer
        self.prefix = prefix
        self.keeper = keeper
    }

    func receive(into received: ReceivedBytes) async throws {
        do {
            if let announced, coding == nil { try received.expect(prefix.count + announced) }
            if !prefix.isEmpty {
                try prefix.withTypedBytes { bytes throws(TintypeError) in try received.append(bytes) }
            }
            try await receiveRest(into: received)
        } catch {
            let failure = self.failure(error, received)
            if failure.code != .limitExceeded, coding == nil, let keeper { keeper.interrupted(at: received.all) }
            throw failure
        }
    }

    private func receiveRest(into received: ReceivedBytes) async throws {
        let inflater = try coding.map { coding throws(TintypeError) in try Inflater(coding, limits) }
        var count = 0
        while case let pieces = try await response.pieces(), !pieces.isEmpty {
            for piece in pieces {
                count += piece.readableBytes
                guard count <= limits.byteCount else { throw tooLarge }
                try take(piece, inflater, received)
                // A body that is larger than any picture should be waits on disk, not in memory.
                if received.isWorthSpilling { try await received.spill(for: transfer.job) }
                if coding == nil { await keeper?.noted(received, for: transfer.job) }
            }
        }
        transfer.meter.received(wireBytes: count)
        // It may have been cancelled behind its last piece.
        guard !Task.isCancelled else { throw TintypeError.cancelled }
        if let announced, announced != count { throw Self.truncated(count, of: announced) }
        try inflater?.finish()
    }

    private func take(
        _ buffer: ByteBuffer, _ inflater: Inflater?, _ received: ReceivedBytes
    ) throws(TintypeError) {
        if inflater == nil, isWorthKeeping(buffer) {
            return try received.take(whole: Data(buffer: buffer, byteTransferStrategy: .noCopy))
        }
        try buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(TintypeError) in try Self.take(bytes, inflater, received) }
        }.get()
    }

    /// Whether a piece is the whole body, and fills a good part of the memory that it lies in: then it stays there. A copy
    /// would cost more than its time, since memory that comes and goes by tens of kilobytes is given back to the system in
    /// between.
    private func isWorthKeeping(_ buffer: ByteBuffer) -> Bool {
        prefix.isEmpty && buffer.readableBytes == announced && buffer.readableBytes >= buffer.storageCapacity / 3
    }

    private static func take(
        _ bytes: UnsafeRawBufferPointer, _ inflater: Inflater?, _ received: ReceivedBytes
    ) throws(TintypeError) {
        guard let inflater else { return try received.append(bytes) }
        try inflater.inflate(bytes) { bytes throws(TintypeError) in try received.append(bytes) }
    }

    private var tooLarge: TintypeError {
        TintypeError(.limitExceeded, stage: .load, "more than \(limits.byteCount) bytes")
    }

    /// A connection that broke while the body arrived left it short; otherwise the error says itself what it is.
    private func failure(_ error: any Error, _ received: ReceivedBytes) -> TintypeError {
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
        let whole = length.map { " of \($0)" } ?? ""
        return TintypeError(
            .truncatedBody, stage: .load, "the body ended early, after \(count)\(whole) bytes", underlying: underlying)
    }
}
