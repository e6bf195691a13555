import Foundation
import TintypeCore

/// What makes two transfers the same: it is made for everyone who joins one, so nothing of a request is made for it.
struct TransferKey: Hashable, Sendable {
    /// Method, URL and header fields: ``TintypeCore/ImageSource/identity``.
    let source: String
    let options: HTTPOptions
    let byteLimit: Int
    /// The metadata of what the origin is asked about.
    let stored: Data?
    /// How often the settings were changed before: what begins under others is another transfer.
    let generation: Int
}
