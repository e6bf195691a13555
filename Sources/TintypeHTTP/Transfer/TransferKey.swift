import Foundation
import TintypeCore

/// What makes two transfers the same.
struct TransferKey: Hashable, Sendable {
    let request: DownloadRequest
    let options: HTTPOptions
    let byteLimit: Int
    /// The metadata of what the origin is asked about.
    let stored: Data?

    init(_ request: DownloadRequest, _ options: HTTPOptions, byteLimit: Int, stored: CacheEntry?) {
        self.request = request
        self.options = options
        self.byteLimit = byteLimit
        self.stored = stored?.metadata
    }
}
