import CZlib
import TintypeCore

/// Decompresses a gzip (RFC 1952) or deflate (RFC 9110, 8.4.1.2) body while it arrives, within limits: a few kilobytes
/// may expand to gigabytes.
///
/// `deflate` is the zlib format by the RFC; raw deflate, which some servers send, is recognised by its first byte. A
/// gzip body may have several members, whose contents are concatenated (RFC 1952, 2.2). Data after the last member is
/// ignored.
final class Inflater {
    private let coding: ContentCoding
    private let limits: ResponseBody.Limits
    private let stream: UnsafeMutablePointer<z_stream>
    private var hasBegun = false
    private var isAtEnd = false
    /// The number of compressed bytes.
    private var compressedCount = 0
    /// The number of decompressed bytes.
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

    /// Decompresses the next part of the body, and passes the decompressed bytes to `consume` in pieces of at most 32
    /// KB.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/undecipherable`` for damaged bytes,
    ///   ``TintypeCore/TintypeError/Code/limitExceeded`` when the body or its expansion exceeds the limits, and the
    ///   error of `consume`.
    func inflate(
        _ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        if !hasBegun { try begin(base[0]) }
        compressedCount += bytes.count
        // zlib only reads from this pointer, although its type is mutable.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: base)
        stream.pointee.avail_in = UInt32(bytes.count)
        var piece = [UInt8](repeating: 0, count: 32 << 10)
        while !isAtEnd || beginsMember() {
            let count = try step(&piece)
            if count > 0 { try piece.withTypedBytes(count, consume) }
            // There is more output only if the piece was filled.
            if count < piece.count, !isAtEnd { break }
        }
    }

    /// Starts the next member of a gzip body, and returns whether there is one.
    private func beginsMember() -> Bool {
        guard case .gzip = coding, stream.pointee.avail_in > 0, stream.pointee.next_in?.pointee == 0x1F,
            inflateReset(stream) == Z_OK
        else { return false }
        isAtEnd = false
        return true
    }

    /// Checks that the compressed data is complete. Call at the end of the body.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/truncatedBody`` when the compressed data is incomplete.
    func finish() throws(TintypeError) {
        guard isAtEnd || !hasBegun else {
            throw TintypeError(.truncatedBody, stage: .load, "the compressed body ended early")
        }
    }

    private func begin(_ first: UInt8) throws(TintypeError) {
        let isRaw = if case .deflate = coding { first & 0x0F != 8 } else { false }
        // The bits of the window. Adding 32 detects gzip and zlib headers; a negative number means raw deflate.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, isRaw ? -15 : 15 + 32, ZLIB_VERSION, size) == Z_OK else {
            throw TintypeError(.outOfMemory, stage: .load, "not enough memory to decompress")
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
        let produced = piece.count - Int(stream.pointee.avail_out)
        count += produced
        // The first bytes of a valid body may expand more than the rest.
        guard count <= max(compressedCount, 1 << 10) * limits.expansion, count <= limits.byteCount else {
            throw TintypeError(
                .limitExceeded, stage: .load,
                "\(compressedCount) compressed bytes expand to more than \(count - produced)")
        }
        return produced
    }
}

extension [UInt8] {
    /// Calls `body` with the first `count` bytes.
    fileprivate func withTypedBytes(
        _ count: Int, _ body: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        let result = withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(count))) }
        }
        try result.get()
    }
}

/// A content coding of a body (RFC 9110, 8.4.1). Images are compressed already, so requests do not ask for one; servers
/// may use one anyway.
enum ContentCoding: Sendable {
    case gzip
    case deflate

    /// Returns the coding of a response; `nil` for none.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/undecipherable`` for a coding that is not supported, or several.
    static func of(_ headers: HTTPFields) throws(TintypeError) -> ContentCoding? {
        let names = headers.list("content-encoding").map { $0.lowercased() }.filter { $0 != "identity" }
        switch names {
        case []: return nil
        case ["gzip"], ["x-gzip"]: return .gzip
        case ["deflate"]: return .deflate
        default:
            throw TintypeError(
                .undecipherable, stage: .load, "unsupported content coding: \(names.joined(separator: ", "))")
        }
    }
}
