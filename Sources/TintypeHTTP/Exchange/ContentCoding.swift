import CZlib
import TintypeCore

/// Takes gzip (RFC 1952) or deflate (RFC 9110, 8.4.1.2) off a body as it arrives, within limits: a few kilobytes can
/// unfold into gigabytes.
///
/// `deflate` is the zlib format by the RFC; raw deflate, which some servers send, is told by its first byte. A gzip body
/// may be several members, whose contents follow one another (RFC 1952, 2.2); what follows and does not
/// begin like one is not looked at.
final class Inflater {
    private let coding: ContentCoding
    private let limits: ResponseBody.Limits
    private let stream: UnsafeMutablePointer<z_stream>
    private var hasBegun = false
    private var isAtEnd = false
    private var wireCount = 0
    private var count = 0

    init(_ coding: ContentCoding, _ limits: ResponseBody.Limits) throws(TintypeError) {
        self.coding = coding
        self.limits = limits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if hasBegun { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// - Throws: ``TintypeCore/TintypeError/Code/undecipherable`` for damaged bytes,
    ///   ``TintypeCore/TintypeError/Code/limitExceeded`` when too many come out, or too many for what goes in.
    func inflate(
        _ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        if !hasBegun { try begin(base[0]) }
        wireCount += bytes.count
        // zlib only reads from here, though its type says otherwise.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: base)
        stream.pointee.avail_in = UInt32(bytes.count)
        var piece = [UInt8](repeating: 0, count: 32 << 10)
        while !isAtEnd || beginsMember() {
            let made = try step(&piece)
            if made > 0 { try piece.withTypedBytes(made, consume) }
            // More is in there only if the piece was filled.
            if made < piece.count, !isAtEnd { break }
        }
    }

    /// Whether another member of a gzip body follows the one that has ended.
    private func beginsMember() -> Bool {
        guard case .gzip = coding, stream.pointee.avail_in > 0, stream.pointee.next_in?.pointee == 0x1F,
            inflateReset(stream) == Z_OK
        else { return false }
        isAtEnd = false
        return true
    }

    /// - Throws: ``TintypeCore/TintypeError/Code/truncatedBody`` when the coding did not come to its end.
    func finish() throws(TintypeError) {
        guard isAtEnd || !hasBegun else {
            throw TintypeError(.truncatedBody, stage: .load, "the compressed body ended early")
        }
    }

    private func begin(_ first: UInt8) throws(TintypeError) {
        let isRaw = if case .deflate = coding { first & 0x0F != 8 } else { false }
        // The window's bits; 32 more tell gzip and zlib apart by their heads, fewer than zero mean neither.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, isRaw ? -15 : 15 + 32, ZLIB_VERSION, size) == Z_OK else {
            throw TintypeError(.outOfMemory, stage: .load, "no memory to decompress")
        }
        hasBegun = true
    }

    private func step(_ piece: inout [UInt8]) throws(TintypeError) -> Int {
        let status = piece.withUnsafeMutableBufferPointer { buffer in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(buffer.count)
            return CZlib.inflate(stream, Z_NO_FLUSH)
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw TintypeError(.undecipherable, stage: .load, "the compressed body is damaged")
        }
        isAtEnd = status == Z_STREAM_END
        let made = piece.count - Int(stream.pointee.avail_out)
        count += made
        // The first bytes of even an honest body may stand for many.
        guard count <= max(wireCount, 1 << 10) * limits.expansion, count <= limits.byteCount else {
            throw TintypeError(
                .limitExceeded, stage: .load, "\(wireCount) compressed bytes became more than \(count - made)")
        }
        return made
    }
}

extension [UInt8] {
    /// Shows the first `count` elements.
    fileprivate func withTypedBytes(
        _ count: Int, _ body: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        let result = withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(count))) }
        }
        try result.get()
    }
}

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
