import CZlib
import Foundation
import TintypeCore

/// The markup of an SVG, decompressed. librsvg decompresses by itself, but without a limit.
enum SVGSource {
    /// Returns the markup of a document.
    ///
    /// - Parameters:
    ///   - bytes: The document, which may be compressed with gzip (SVG 1.1, 1.2).
    ///   - limit: The largest number of bytes that the markup may have.
    /// - Throws: `TintypeError.Code.limitExceeded` for a larger one, before it is in memory;
    ///   `TintypeError.Code.notAnImage` for compressed bytes that are not an SVG; `TintypeError.Code.undecodable`
    ///   for invalid compression; `TintypeError.Code.outOfMemory`.
    static func markup(_ bytes: Data, limit: Int) throws(TintypeError) -> Data {
        guard bytes.count <= limit else { throw .tooLargeSVG(limit) }
        guard bytes.starts(with: gzip) else { return bytes }
        let markup = try decompressed(bytes, limit: limit)
        // librsvg would decompress it again.
        guard !markup.starts(with: gzip), FormatSniffer.format(of: markup) == .svg else {
            throw TintypeError(.notAnImage, stage: .decode, "expected an image, got compressed data, not an SVG")
        }
        return markup
    }

    /// Returns the largest number of bytes of markup. Parsing takes many times as much memory.
    static func limit(_ limits: DecodeLimits) -> Int { min(64 << 20, limits.memoryBytes) }

    // MARK: Compression

    /// The first bytes of a gzip file.
    private static let gzip: [UInt8] = [0x1F, 0x8B]

    /// Decompresses a gzip file of one member (RFC 1952). Bytes after it are ignored, as zlib's own reader does with
    /// those that are no other member.
    private static func decompressed(_ bytes: Data, limit: Int) throws(TintypeError) -> Data {
        var stream = z_stream()
        // 15 bits of window, and 16 for a gzip header.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to decompress an SVG")
        }
        defer { inflateEnd(&stream) }
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            // zlib only reads from this pointer, although its type is mutable.
            stream.next_in = UnsafeMutablePointer(mutating: raw.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(clamping: raw.count)
            var (text, piece) = (Data(), [UInt8](repeating: 0, count: 64 << 10))
            var isComplete = false
            while !isComplete {
                isComplete = try !appendPiece(&piece, of: &stream, to: &text)
                guard text.count <= limit else { throw .tooLargeSVG(limit) }
            }
            return text
        }
    }

    /// Decompresses the next piece.
    ///
    /// - Returns: Whether there is another one.
    private static func appendPiece(
        _ piece: inout [UInt8], of stream: inout z_stream, to text: inout Data
    ) throws(TintypeError) -> Bool {
        let count = piece.count
        let status = piece.withUnsafeMutableBufferPointer { buffer in
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(count)
            return inflate(&stream, Z_NO_FLUSH)
        }
        guard status == Z_OK || status == Z_STREAM_END else {
            throw TintypeError(.undecodable, stage: .decode, "the compressed SVG is invalid or truncated")
        }
        text.append(contentsOf: piece[..<(count - Int(stream.avail_out))])
        return status == Z_OK
    }
}

extension TintypeError {
    fileprivate static func tooLargeSVG(_ limit: Int) -> TintypeError {
        .exceeded(.library, "an SVG with more than \(limit) bytes")
    }
}
