import TintypeCore

extension Failure {
    /// Translates an error of the pipeline.
    init(_ error: TintypeError) {
        self.init(Self.kind(of: error), code: error.code.rawValue, detail: error.description)
    }

    private static func kind(of error: TintypeError) -> Kind {
        switch error.code {
        case .invalidSource: .invalidRequest
        case .notFound: .originRefused(status: 404)
        case .forbidden, .refused, .refusedRequest: .forbiddenSource
        case .badStatus, .failedBefore: originKind(status: error.status)
        case .unreadable, .unreachable, .transport, .insecure, .refusedResponse, .undecipherable, .tooManyRedirects,
            .emptyBody, .truncatedBody:
            .originFailed
        // An origin that answers to no one but caches is as slow as can be (RFC 9111, 5.2.1.7).
        case .notCached: .originTimedOut
        case .timedOut: error.stage == .load ? .originTimedOut : .deadlineExceeded
        case .badContentType, .limitExceeded, .notAnImage, .undecodable, .decoderCrashed, .notAnimated, .noSuchFrame:
            .unprocessable
        case .noCoder: error.stage == .encode ? .unsupportedOutput : .unprocessable
        case .invalidated, .noWorker, .outOfMemory: .unavailable
        case .unwritable, .transformFailed, .encodeFailed: .internalError
        case .cancelled: .clientGone
        }
    }

    /// Returns what a status of the origin means for a client of this server.
    ///
    /// Most statuses from 400 to 499 are the client's answer too. The exceptions are about the exchange between this
    /// server and the origin, in which the client has no part, such as 401, which would need a challenge.
    private static func originKind(status: Int?) -> Kind {
        switch status {
        case 401, 407: .originRefused(status: 403)
        case 408: .originTimedOut
        case 405, 411, 412, 413, 416, 417, 421, 425, 426, 428, 429, 431: .originFailed
        case .some(let status) where (400..<500).contains(status): .originRefused(status: status)
        default: .originFailed
        }
    }
}
