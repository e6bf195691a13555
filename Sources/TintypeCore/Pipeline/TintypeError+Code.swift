extension TintypeError {
    /// What went wrong. The number is SDWebImage's for the same thing, where it has one.
    public enum Code: String, Sendable, CaseIterable {
        /// The URL cannot be loaded: malformed, or of a scheme that no loader takes. (1000)
        case invalidSource
        /// There is no file at the path.
        case notFound
        /// A file or directory cannot be read: no permission, not a regular file, an I/O error.
        case unreadable
        /// A file or directory cannot be written: no permission, a read-only or full disk.
        case unwritable
        /// The host cannot be reached: its name is unknown, nothing listens, no route.
        case unreachable
        /// No connection, or no progress, within the time allowed.
        case timedOut
        /// It failed a while ago in a way that trying again does not mend; see ``FailureMemory``. (1003)
        case failedBefore
        /// The connection broke, or the peer did not speak HTTP.
        case transport
        /// No secure connection: the certificate is not trusted, or the handshake failed.
        case insecure
        /// A guard does not allow the scheme, host, port or address; see `ServerGuard`.
        case forbidden
        /// A modifier of requests refused to send it. (2000)
        case refusedRequest
        /// A modifier of responses refused to take it. (2003)
        case refusedResponse
        /// The server answered with a content type that is not acceptable. (2004)
        case badContentType
        /// The body could not be decrypted, or its content coding is damaged. (1001)
        case undecipherable
        /// The downloader was invalidated, and takes nothing more.
        case invalidated
        /// The server answered with a status that is not acceptable; ``TintypeError/message`` names it. (2001)
        case badStatus
        /// The server sent from one address to the next too often, or in a circle.
        case tooManyRedirects
        /// A body with no bytes. (1001)
        case emptyBody
        /// A body shorter than was announced.
        case truncatedBody
        /// A body, file or picture above a limit in size, pixels, frames or scans.
        case limitExceeded
        /// The bytes are not a picture of any known format. (1001)
        case notAnImage
        /// The format is known, but no decoder or encoder for it is registered, or the library that it needs is missing.
        /// (1001)
        case noCoder
        /// The bytes are of a known format but damaged, or cut short. (1001)
        case undecodable
        /// Only an animated picture was wanted, and this one is still. (1001)
        case notAnimated
        /// The picture has no frame of the asked number.
        case noSuchFrame
        /// No memory for the pixels.
        case outOfMemory
        /// A transformer could not do its work.
        case transformFailed
        /// An encoder could not do its work.
        case encodeFailed
        /// The program's own rule does not let it be loaded: see ``PipelineConfiguration/shouldLoad``.
        case refused
        /// Only caches were allowed, and they do not have it.
        case notCached
        /// The one who waited gave up. (2002)
        case cancelled
    }
}
