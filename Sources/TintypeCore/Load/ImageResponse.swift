public import Foundation

/// An image with details of its load.
public struct ImageResponse: Sendable {
    /// The image.
    public var image: Image
    /// Where the image came from.
    public var origin: ImageOrigin
    /// The original bytes, if the load read them or the request asked for them.
    public var data: Data?
    /// The number of bytes of the encoded image, if they were read.
    public var byteCount: Int?
    /// The error of a revalidation that failed, if this image is the cached one.
    public var revalidationFailure: TintypeError?
    /// The error of a transfer that failed, if this is the part of the image that had arrived: see
    /// ``DecodeOptions/allowsPartial``. No cache stores such an image, and there is no ``data``.
    public var transferFailure: TintypeError?
    /// How the bytes were transferred, if this load transferred them.
    public var metrics: TransferMetrics?
    /// The metadata of the bytes that the image was decoded from, if this load read or loaded them. The bytes
    /// themselves may be absent.
    package var bytes: LoadedBytes?
    /// Whether the image is of another source than the request's own, or the answer of an ``AsyncRequestInterceptor``.
    /// An equal request may get another image.
    package var isReplacement = false

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - origin: Where the image came from.
    ///   - data: The encoded bytes, if the request asked for them.
    ///   - byteCount: The number of encoded bytes; `nil` takes it from `data`.
    public init(image: Image, origin: ImageOrigin, data: Data? = nil, byteCount: Int? = nil) {
        self.image = image
        self.origin = origin
        self.data = data
        self.byteCount = byteCount ?? data?.count
    }

    /// Returns the response with a modified image. `nil` modifies nothing.
    func modified(by modifier: (@Sendable (Image) -> Image)?) -> ImageResponse {
        guard let modifier else { return self }
        var response = self
        response.image = modifier(image)
        return response
    }

    /// Returns the response with an image of `scale` pixels per point. `nil` leaves the scale.
    func atScale(_ scale: Double?) -> ImageResponse {
        guard let scale else { return self }
        var response = self
        response.image = image.atScale(scale)
        return response
    }
}

/// Where an image came from.
public enum ImageOrigin: String, Hashable, Sendable, CaseIterable {
    /// Decoded pixels in memory.
    case memory
    /// An entry of the disk cache.
    case disk
    /// An HTTP response.
    case network
    /// A local file.
    case file
    /// Bytes in the request: a data URL, or data of the program.
    case data
    /// A loader or closure of the program.
    case custom
}

/// The durations and counts of one transfer.
public struct TransferMetrics: Hashable, Sendable {
    /// The time spent in the queue, including the wait for the rate limit of requests.
    public var queued = Duration.zero
    /// The time to resolve the name of the server or the proxy. `nil` for a reused connection, or if the transport does
    /// not tell.
    public var nameLookup: Duration?
    /// The time to connect, from the resolved name to the TCP connection; with a proxy, to that of the proxy. `nil`
    /// like ``nameLookup``.
    public var connecting: Duration?
    /// The time of the TLS handshake. `nil` like ``nameLookup``, and without TLS.
    public var handshake: Duration?
    /// The round-trip time to the server, or to the proxy, that the kernel had measured when the connection was
    /// established; `nil` for a reused connection, and on systems other than Linux.
    public var roundTrip: Duration?
    /// The time from sending the last request to the head of its response, connecting included.
    public var firstByte = Duration.zero
    /// The time from the head of the response to the last byte of the body.
    public var body = Duration.zero
    /// The time from the call to the end.
    public var total = Duration.zero
    /// The number of body bytes that were received.
    public var wireBytes = 0
    /// The number of body bytes after content coding was removed and resumed bytes were added.
    package var bodyBytes = 0
    /// The number of bytes that an earlier, interrupted transfer had received.
    public var resumedBytes = 0
    /// The protocol of the response: `http/1.1`, `http/2` or `http/3`.
    public var httpVersion = ""
    /// Whether the connection of the last request was used before, or `nil` if that is unknown.
    public var isConnectionReused: Bool?
    /// Whether the last connection was encrypted.
    package var isEncrypted = false
    /// The number of attempts; more than one after a retry.
    public var attempts = 1
    /// The number of redirects that the last attempt followed.
    public var redirects = 0
    /// The status code of the last response.
    package var status = 0

    /// Creates metrics without any measurement.
    package init() {}

    /// The durations of the parts of the transfer, in their order, as far as they are known.
    package var parts: [(name: String, duration: Duration)] {
        let parts: [(String, Duration?)] = [
            ("queued", queued), ("name_lookup", nameLookup), ("connecting", connecting), ("handshake", handshake),
            ("first_byte", firstByte), ("body", body),
        ]
        return parts.compactMap { name, duration in duration.map { (name, $0) } }
    }
}
