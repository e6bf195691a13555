import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TintypeCore

/// One transfer: a request, and its body as it arrives.
struct Download: Sendable {
    let request: DownloadRequest
    let configuration: DownloaderConfiguration
    let received: ReceivedBytes

    /// - Throws: an error that names the URL; ``TintypeError/Code/cancelled`` when the task is cancelled.
    func run(on client: HTTPClient) async throws(TintypeError) -> LoadedBytes {
        do {
            let response = try await finalResponse(from: client)
            try check(response)
            try await receive(response)
            // A cancelled body ends like a whole one.
            guard !Task.isCancelled else { throw TintypeError.cancelled }
            try checkLength(response)
            return LoadedBytes(data: received.take(), origin: .network)
        } catch {
            throw failure(error).about(request.url.absoluteString)
        }
    }

    /// The response at the end of all redirects.
    private func finalResponse(from client: HTTPClient) async throws -> HTTPClientResponse {
        var request = request
        var seen: Set<URL> = [request.url]
        while true {
            let response = try await client.execute(request.clientRequest, deadline: .distantFuture)
            guard configuration.maximumRedirects > 0, let next = try request.redirected(by: response) else {
                return response
            }
            guard seen.insert(next.url).inserted else {
                throw TintypeError(.tooManyRedirects, stage: .load, "the redirects go in a circle")
            }
            guard seen.count <= configuration.maximumRedirects + 1 else {
                throw TintypeError(
                    .tooManyRedirects, stage: .load, "more than \(configuration.maximumRedirects) redirects")
            }
            // A short body is read to its end, so that the connection can be used again.
            _ = try? await response.body.collect(upTo: 4096)
            request = next
        }
    }

    private func check(_ response: HTTPClientResponse) throws(TintypeError) {
        guard configuration.acceptableStatusCodes.contains(Int(response.status.code)) else {
            throw TintypeError(.badStatus, stage: .load, "HTTP \(response.status)", status: Int(response.status.code))
        }
    }

    private func receive(_ response: HTTPClientResponse) async throws {
        if let length = announcedLength(response) { try received.expect(length) }
        for try await buffer in response.body {
            let result = buffer.withUnsafeReadableBytes { bytes in
                Result { () throws(TintypeError) in try received.append(bytes) }
            }
            try result.get()
        }
    }

    private func checkLength(_ response: HTTPClientResponse) throws(TintypeError) {
        let count = received.progress.received
        guard let length = announcedLength(response), length != count else { return }
        throw Self.truncated(count, of: length)
    }

    /// `Content-Length` tells of the bytes on the wire; with a content coding those are not the picture's.
    private func announcedLength(_ response: HTTPClientResponse) -> Int? {
        guard !response.headers.contains(name: "content-encoding") else { return nil }
        return response.headers.first(name: "content-length").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// A connection that broke while the body arrived left it short; otherwise the error says itself what it is.
    private func failure(_ error: any Error) -> TintypeError {
        if let error = error as? TintypeError { return error }
        if Task.isCancelled { return .cancelled }
        let failure = TintypeError(transport: error)
        let progress = received.progress
        guard failure.code == .transport, progress.received > 0 || progress.expected != nil else { return failure }
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
