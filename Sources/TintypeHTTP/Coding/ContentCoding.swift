import TintypeCore

/// How a body is coded for the way (RFC 9110, 8.4.1). Pictures are compressed already, so nothing asks for it; a server
/// that does it unasked is understood.
enum ContentCoding: Sendable {
    case gzip
    case deflate

    /// - Throws: ``TintypeCore/TintypeError/Code/undecipherable`` for a coding that is not known, or several.
    static func of(_ headers: HTTPFields) throws(TintypeError) -> ContentCoding? {
        let names = headers.list("content-encoding").map { $0.lowercased() }.filter { $0 != "identity" }
        switch names {
        case []: return nil
        case ["gzip"], ["x-gzip"]: return .gzip
        case ["deflate"]: return .deflate
        default:
            throw TintypeError(
                .undecipherable, stage: .load, "an unknown content coding: \(names.joined(separator: ", "))")
        }
    }
}
