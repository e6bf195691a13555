import CLibZstd
import Foundation
import TintypeCore

/// libzstd, loaded at the first body with its coding.
private enum ZstdLibrary: OnDemandLibrary {
    static let files = ["libzstd.so.1"]

    #if os(Linux)
    static let loaded = connected(
        tintype_zstd_names(), tintype_zstd_connect,
        .init("libzstd, which decompresses this body", packages: "libzstd1 on Debian, libzstd on Fedora"))
    #else
    static let loaded = Result<Void, TintypeError>.success(())
    #endif
}

/// Decompresses a body of Zstandard frames (RFC 8878), whose contents are concatenated.
final class ZstdDecoder: BodyDecoder {
    /// The binary logarithm of the largest window, in bytes (RFC 9659, 3).
    private static let maximumWindowLog: Int32 = 23

    private let context: OpaquePointer
    private var expansion: Expansion
    /// Whether the last frame is complete.
    private var isAtEnd = true

    /// - Throws: `TintypeError.Code.undecipherable` when libzstd is not installed.
    init(_ limits: ResponseBody.Limits) throws(TintypeError) {
        do throws(TintypeError) {
            try ZstdLibrary.load()
        } catch {
            throw TintypeError(.undecipherable, stage: .load, error.message)
        }
        guard let context = ZSTD_createDCtx() else { throw Expansion.outOfMemory }
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
        self.context = context
        expansion = Expansion(limits)
    }

    deinit { ZSTD_freeDCtx(context) }

    func decode(
        _ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        expansion.compressedCount += bytes.count
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var piece = [UInt8](repeating: 0, count: 32 << 10)
        var count = piece.count
        // There is more output only if the piece was filled.
        while input.pos < input.size || count == piece.count {
            count = try step(&input, &piece)
            if count > 0 { try piece.consumed(count, by: consume) }
        }
    }

    func finish() throws(TintypeError) {
        guard isAtEnd else { throw Expansion.truncated }
    }

    private func step(_ input: inout ZSTD_inBuffer, _ piece: inout [UInt8]) throws(TintypeError) -> Int {
        let start = input.pos
        let (status, count) = piece.withUnsafeMutableBytes { buffer in
            var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
            let status = ZSTD_decompressStream(context, &output, &input)
            return (status, output.pos)
        }
        guard ZSTD_isError(status) == 0 else { throw Expansion.damaged }
        // A call that does nothing at the end of a frame asks for the next one.
        if count > 0 || input.pos > start { isAtEnd = status == 0 }
        try expansion.add(count)
        return count
    }
}
