import TintypeCore

/// A content coding of a body (RFC 9110, 8.4.1). Images are compressed already, so requests do not ask for one; servers
/// may use one anyway.
enum ContentCoding: Sendable {
    case gzip
    case deflate
    /// RFC 8878, with the window of at most 8 MB that RFC 9659 allows.
    case zstd

    /// The codings that are registered (RFC 9110, 16.6.1), but not supported.
    private static let unsupported: Set<String> = [
        "aes128gcm", "br", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip",
    ]
    /// The names of ``of(_:)``.
    private static let supported: Set<String> = ["gzip", "x-gzip", "deflate", "zstd"]

    /// Returns the coding of a response; `nil` for none. Names that are no coding, such as `aws-chunked` and `UTF-8`,
    /// are ignored: servers send them with bytes that are not coded.
    ///
    /// - Throws: `TintypeError.Code.undecipherable` for a coding that is not supported, or several.
    static func of(_ headers: HTTPFields) throws(TintypeError) -> ContentCoding? {
        let names = headers.list("content-encoding").map { $0.lowercased() }
            .filter { supported.contains($0) || unsupported.contains($0) }
        switch names {
        case []: return nil
        case ["gzip"], ["x-gzip"]: return .gzip
        case ["deflate"]: return .deflate
        case ["zstd"]: return .zstd
        default:
            throw TintypeError(
                .undecipherable, stage: .load, "unsupported content coding: \(names.joined(separator: ", "))")
        }
    }

    /// Creates a decoder of one body.
    ///
    /// - Throws: `TintypeError.Code.undecipherable` when its library is not installed.
    func decoder(_ limits: ResponseBody.Limits) throws(TintypeError) -> any BodyDecoder {
        switch self {
        case .gzip: Inflater(isGzip: true, limits)
        case .deflate: Inflater(isGzip: false, limits)
        case .zstd: try ZstdDecoder(limits)
        }
    }
}

/// Removes the content coding of one body while it arrives.
protocol BodyDecoder: AnyObject {
    /// Decodes the next part of the body, and passes the decoded bytes to `consume` in pieces of at most 32 KB.
    ///
    /// - Throws: `TintypeError.Code.undecipherable` for damaged bytes,
    ///   `TintypeError.Code.limitExceeded` when the body or its expansion exceeds the limits, and the
    ///   error of `consume`.
    func decode(
        _ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError)

    /// Checks that the coded data is complete. Call at the end of the body.
    ///
    /// - Throws: `TintypeError.Code.truncatedBody` when it is not.
    func finish() throws(TintypeError)
}

/// Counts how much a body expands: a few kilobytes may become gigabytes.
struct Expansion {
    private let limits: ResponseBody.Limits
    /// The number of bytes that arrived.
    var compressedCount = 0
    /// The number of decoded bytes.
    private var count = 0

    init(_ limits: ResponseBody.Limits) {
        self.limits = limits
    }

    /// Counts decoded bytes.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded`.
    mutating func add(_ decodedCount: Int) throws(TintypeError) {
        count += decodedCount
        // The first bytes of a valid body may expand more than the rest.
        guard count <= max(compressedCount, 1 << 10) * limits.expansion, count <= limits.byteCount else {
            throw TintypeError(
                .limitExceeded, stage: .load,
                "\(compressedCount) compressed bytes expand to more than \(count - decodedCount)")
        }
    }

    static let damaged = TintypeError(.undecipherable, stage: .load, "the compressed body is damaged")
    static let truncated = TintypeError(.truncatedBody, stage: .load, "the compressed body ended early")
    static let outOfMemory = TintypeError(.outOfMemory, stage: .load, "not enough memory to decompress")
}

extension [UInt8] {
    /// Calls `body` with the first `count` bytes.
    func consumed(
        _ count: Int, by body: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        let result = withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(count))) }
        }
        try result.get()
    }
}
