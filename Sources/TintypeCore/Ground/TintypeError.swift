package import Foundation

/// The only error type that Tintype throws.
///
/// Switch over ``code``; show ``description``, which is one line with the subject, the message, the code and the stage.
/// A cache miss is not an error but `nil`.
///
/// The fields are in a shared object, so that the error takes one word in typed throws.
public struct TintypeError: Error, Sendable {
    private let storage: Storage

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - stage: The stage of the request that failed.
    ///   - message: The failure in a few words, without a full stop. Cut off after 1000 Unicode scalars: it may quote
    ///     text of any length from outside, and errors are remembered.
    ///   - subject: The URL, path or name of what failed; `nil` if it is not known here.
    ///   - status: The HTTP status that caused the failure.
    ///   - contentType: The content type that caused the failure.
    ///   - underlying: The error of a system call or library that caused this one.
    public init(
        _ code: Code, stage: Stage, _ message: String, subject: String? = nil, status: Int? = nil,
        contentType: String? = nil, underlying: (any Error)? = nil
    ) {
        storage = Storage(
            code: code, stage: stage, message: message.abbreviated(to: 1000), subject: subject, status: status,
            contentType: contentType, underlying: underlying)
    }

    private init(shared storage: Storage) {
        self.storage = storage
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The stage of the request that failed.
    public var stage: Stage { storage.stage }
    /// The failure in a few words, without a full stop.
    public var message: String { storage.message }
    /// The URL, path or name of what failed.
    public var subject: String? { storage.subject }
    /// The HTTP status that caused the failure.
    public var status: Int? { storage.status }
    /// The `Content-Type` field that a ``Code/badContentType`` error is about; `nil` if the response had none.
    public var contentType: String? { storage.contentType }
    /// The error of a system call or library that caused this one.
    public var underlying: (any Error)? { storage.underlying }
    /// The URLs whose cache entries the load made invalid before it failed; see ``LoadedBytes/invalidated``.
    package var invalidated: [URL] { storage.invalidated }

    /// The error of a cancelled load. One shared instance, because no error is more common.
    public static let cancelled = TintypeError(
        shared: Storage(
            code: .cancelled, stage: .deliver, message: "cancelled", subject: nil, status: nil, contentType: nil,
            underlying: nil))

    /// Returns the error with `subject` if it has no subject yet. A cancellation is returned unchanged.
    package func about(_ subject: String) -> TintypeError {
        guard self.subject == nil, code != .cancelled else { return self }
        return copy(stage: stage, subject: subject, invalidated: invalidated)
    }

    /// Returns the error at another stage.
    package func at(_ stage: Stage) -> TintypeError {
        copy(stage: stage, subject: subject, invalidated: invalidated)
    }

    /// Returns the error of a load that made the cache entries of URLs invalid.
    package func invalidating(_ urls: [URL]) -> TintypeError {
        copy(stage: stage, subject: subject, invalidated: urls)
    }

    private func copy(stage: Stage, subject: String?, invalidated: [URL]) -> TintypeError {
        TintypeError(
            shared: Storage(
                code: code, stage: stage, message: message, subject: subject, status: status,
                contentType: contentType, underlying: underlying, invalidated: invalidated))
    }

    private final class Storage: Sendable {
        let code: Code
        let stage: Stage
        let message: String
        let subject: String?
        let status: Int?
        let contentType: String?
        let underlying: (any Error)?
        let invalidated: [URL]

        init(
            code: Code, stage: Stage, message: String, subject: String?, status: Int?, contentType: String?,
            underlying: (any Error)?, invalidated: [URL] = []
        ) {
            self.code = code
            self.stage = stage
            self.message = message
            self.subject = subject
            self.status = status
            self.contentType = contentType
            self.underlying = underlying
            self.invalidated = invalidated
        }
    }
}

extension TintypeError {
    /// The kind of a failure. The number in parentheses is the corresponding error code of SDWebImage, if there is one.
    public enum Code: String, Sendable, CaseIterable {
        /// The URL is malformed, or no loader accepts its scheme. (1000)
        case invalidSource
        /// There is no file at the path.
        case notFound
        /// A file or directory cannot be read: missing permission, not a regular file, or an I/O error.
        case unreadable
        /// A file or directory cannot be written: missing permission, a read-only file system, or a full disk.
        case unwritable
        /// The host cannot be reached: unknown name, connection refused, or no route.
        case unreachable
        /// No connection, or no progress, within the time limit.
        case timedOut
        /// The source failed earlier in a way that a retry does not repair; see ``FailureMemory``. (1003)
        case failedBefore
        /// The connection broke, or the peer violated the HTTP protocol.
        case transport
        /// The TLS handshake failed, or the certificate is not trusted.
        case insecure
        /// A guard refuses the scheme, host, port or address; see `ServerGuard`.
        case forbidden
        /// A request modifier refused to send the request, or a setting requires the downloader's own HTTP client and
        /// the program has supplied another one. (2000)
        case refusedRequest
        /// A response modifier refused the response, or the program's HTTP client followed a redirect. (2003)
        case refusedResponse
        /// The content type of the response is not acceptable; see ``TintypeError/contentType``. (2004)
        case badContentType
        /// The body could not be decrypted, or its content coding is damaged. (1001)
        case undecipherable
        /// The downloader was invalidated and accepts no more requests.
        case invalidated
        /// The status of the response is not acceptable; ``TintypeError/message`` names it. (2001)
        case badStatus
        /// The server sent too many redirects, or a redirect loop.
        case tooManyRedirects
        /// The body is empty. (1001)
        case emptyBody
        /// The body is shorter than announced.
        case truncatedBody
        /// A body, file or image exceeds a limit, for example in bytes, pixels, frames or scans.
        case limitExceeded
        /// The bytes are not an image of any known format. (1001)
        case notAnImage
        /// The format is known, but no decoder or encoder is registered for it, or its library is missing. (1001)
        case noCoder
        /// The bytes are of a known format but damaged or truncated. (1001)
        case undecodable
        /// The decoder crashed or did something that is forbidden, and its worker process has ended. (1001)
        case decoderCrashed
        /// The format is decoded in a worker process, and none can be started; the message says why and what to do.
        case noWorker
        /// The request accepts only animated images, and this image is still. (1001)
        case notAnimated
        /// The image has no frame with the requested index.
        case noSuchFrame
        /// Memory for the pixels could not be allocated.
        case outOfMemory
        /// A transformer failed.
        case transformFailed
        /// An encoder failed.
        case encodeFailed
        /// The program refuses to load the source; see ``PipelineConfiguration/shouldLoad``.
        case refused
        /// The request allows only caches, and none has the image.
        case notCached
        /// The load, or the wait for it, was cancelled. (2002)
        case cancelled
    }

    /// The stage of a request in which a failure occurred.
    public enum Stage: String, Sendable, CaseIterable {
        /// The interceptors prepare the request.
        case request
        /// The image is looked up in memory.
        case memory
        /// The image, or its original, is read from a cache on disk.
        case disk
        /// The original bytes are loaded from their source.
        case load
        /// The bytes are decoded.
        case decode
        /// The transformers are applied to the decoded image.
        case transform
        /// The image is encoded.
        case encode
        /// The image, or its original, is written to a cache.
        case store
        /// The image is prepared for display and passed to the callers.
        case deliver
    }
}

extension TintypeError: CustomStringConvertible {
    /// One line with the subject, message, code and stage.
    ///
    /// The subject and the message quote text from outside, such as URLs and header values. They are shortened, and
    /// characters that a terminal would interpret or hide are escaped.
    public var description: String {
        // A data URL can have megabytes.
        let about = subject.map { "\($0.abbreviated(to: 400)): " } ?? ""
        return "\(about)\(message) [\(code.rawValue), \(stage.rawValue)]".printable
    }
}

/// Descriptions of the C library's error numbers.
package enum SystemError {
    /// Returns the description of an `errno` value, for example `"permission denied"`.
    package static func description(_ number: Int32) -> String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension UnsafeRawBufferPointer {
    /// Writes all bytes to a descriptor. Blocks, even if the descriptor is non-blocking, such as a pipe that another
    /// process has made so.
    ///
    /// - Returns: 0, or the error number (errno(3)) of the write that failed.
    package func write(to descriptor: Int32) -> Int32 {
        var rest = self[...]
        while !rest.isEmpty {
            let buffer = UnsafeRawBufferPointer(rebasing: rest)
            let count = Foundation.write(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
                continue
            }
            guard count > 0 else { return count < 0 ? errno : ENOSPC }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
