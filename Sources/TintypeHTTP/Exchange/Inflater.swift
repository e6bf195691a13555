import CZlib
import TintypeCore

/// Decompresses a gzip (RFC 1952) or deflate (RFC 9110, 8.4.1.2) body.
///
/// `deflate` is the zlib format by the RFC; raw deflate, which some servers send, is recognised by its first byte. A
/// gzip body may have several members, whose contents are concatenated (RFC 1952, 2.2). Data after the last member is
/// ignored.
final class Inflater: BodyDecoder {
    private let isGzip: Bool
    private var expansion: Expansion
    private let stream: UnsafeMutablePointer<z_stream>
    private var hasBegun = false
    private var isAtEnd = false

    init(isGzip: Bool, _ limits: ResponseBody.Limits) {
        self.isGzip = isGzip
        expansion = Expansion(limits)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if hasBegun { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func decode(
        _ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        if !hasBegun { try begin(base[0]) }
        expansion.compressedCount += bytes.count
        // zlib only reads from this pointer, although its type is mutable.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: base)
        stream.pointee.avail_in = UInt32(bytes.count)
        var piece = [UInt8](repeating: 0, count: 32 << 10)
        while !isAtEnd || beginsMember() {
            let count = try step(&piece)
            if count > 0 { try piece.consumed(count, by: consume) }
            // There is more output only if the piece was filled.
            if count < piece.count, !isAtEnd { break }
        }
    }

    /// Starts the next member of a gzip body, and returns whether there is one.
    private func beginsMember() -> Bool {
        guard isGzip, stream.pointee.avail_in > 0, stream.pointee.next_in?.pointee == 0x1F,
            inflateReset(stream) == Z_OK
        else { return false }
        isAtEnd = false
        return true
    }

    func finish() throws(TintypeError) {
        guard isAtEnd || !hasBegun else { throw Expansion.truncated }
    }

    private func begin(_ first: UInt8) throws(TintypeError) {
        let isRaw = !isGzip && first & 0x0F != 8
        // The bits of the window. Adding 32 detects gzip and zlib headers; a negative number means raw deflate.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, isRaw ? -15 : 15 + 32, ZLIB_VERSION, size) == Z_OK else {
            throw Expansion.outOfMemory
        }
        hasBegun = true
    }

    private func step(_ piece: inout [UInt8]) throws(TintypeError) -> Int {
        let status = piece.withUnsafeMutableBufferPointer { buffer in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(buffer.count)
            return CZlib.inflate(stream, Z_NO_FLUSH)
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw Expansion.damaged }
        isAtEnd = status == Z_STREAM_END
        let produced = piece.count - Int(stream.pointee.avail_out)
        try expansion.add(produced)
        return produced
    }
}
