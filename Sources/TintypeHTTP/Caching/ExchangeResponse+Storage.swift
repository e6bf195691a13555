package import Foundation
package import TintypeCore

// Loaders that send single requests store their responses like the downloader, so that the same rules of RFC 9111
// decide when a response is used again.

extension ExchangeResponse {
    /// Returns the bytes that a body was received into, with the record of this response.
    ///
    /// - Parameter names: The names of header fields that are stored in addition to those that caching needs.
    /// - Throws: The errors of ``TintypeCore/ReceivedBytes/takeAll(for:)``.
    package func takeBytes(
        from received: ReceivedBytes, for job: JobContext, storing names: Set<String> = []
    ) async throws(TintypeError) -> LoadedBytes {
        let (data, file) = try await received.takeAll(for: job)
        return LoadedBytes(
            transferred: data, in: file, metrics: metrics(byteCount: data.count),
            record: TransferRecord(chain, response, storing: .caching(and: names)))
    }

    /// Returns the bytes of a cache entry that this 304 response confirms, with renewed metadata (RFC 9111, 4.3.4);
    /// `nil` if it confirms another response.
    ///
    /// - Parameter names: See ``takeBytes(from:for:storing:)``.
    package func confirmedBytes(of stored: CacheEntry, storing names: Set<String> = []) -> LoadedBytes? {
        guard let old = StoredResponse(decoding: stored.metadata), old.isConfirmed(by: headers) else { return nil }
        let renewed = old.renewed(by: response, after: chain, storing: .caching(and: names))
        var loaded = LoadedBytes.notModified(stored, metadata: renewed.encoded)
        loaded.isStorable = Storability.allows(CacheControl(headers), status: old.head.status)
        loaded.metrics = metrics(byteCount: 0)
        return loaded
    }

    /// The only request of the exchange. Its own header fields select no response.
    private var chain: ExchangeChain {
        ExchangeChain(
            ExchangeChain.Link(request: DownloadRequest(url: url), status: status, headers: headers, times: times))
    }
}

extension CacheEntry {
    /// The header fields that make a request conditional on a change of this entry (RFC 9111, 4.3.1); none if the
    /// response in its metadata has no validator, or was selected by header fields.
    package var conditions: HTTPFields {
        var fields = HTTPFields()
        let stored = StoredResponse(decoding: metadata)
        // The URL plays no role for a request without header fields.
        guard let stored, stored.hasValidator, stored.isSelected(by: DownloadRequest(url: Self.anyURL)) else {
            return fields
        }
        stored.addConditions(to: &fields)
        return fields
    }

    /// How the response in the metadata may be used for a request without header fields (RFC 9111, 4).
    package func verdict(at now: Date) -> StoredVerdict {
        guard let stored = StoredResponse(decoding: metadata) else { return .stale(usableOnError: metadata.isEmpty) }
        return Freshness(request: DownloadRequest(url: Self.anyURL), stored: stored, now: now).verdict
    }

    /// Returns the value of a header field of the response in the metadata; `nil` if it is not stored.
    package func storedField(_ name: String) -> String? { StoredResponse(decoding: metadata)?.head.headers[name] }

    private static let anyURL = URL(filePath: "/")
}
