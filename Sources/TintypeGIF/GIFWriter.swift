import CTintypeGIF
import Foundation
import TintypeCore

/// Writes one file with giflib.
///
/// Not thread-safe: use it from one thread at a time.
struct GIFWriter: ~Copyable {
    private let writer: OpaquePointer
    private let size: PixelSize

    /// Creates a writer and writes the header.
    ///
    /// - Parameters:
    ///   - size: The size of the canvas in pixels, at most 65,535 a side.
    ///   - shared: The palette of frames that have none of their own.
    ///   - repeats: The number of repetitions after the first play, 0 for forever; `nil` to write none.
    /// - Throws: `TintypeError.Code.encodeFailed` or `TintypeError.Code.outOfMemory`.
    init(size: PixelSize, shared: ColorPalette?, repeats: Int?) throws(TintypeError) {
        guard max(size.width, size.height) <= Int(UInt16.max) else {
            throw TintypeError(
                .encodeFailed, stage: .encode, "the image is too large for a GIF: \(size), at most 65535 a side")
        }
        var writer: OpaquePointer?
        let status = Self.withPalette(shared) { palette in
            tintype_gif_writer_create(
                UInt32(size.width), UInt32(size.height), palette, Int32(repeats ?? -1), &writer)
        }
        guard status == .ok, let writer else { throw Self.failure(status) }
        self.writer = writer
        self.size = size
    }

    deinit {
        tintype_gif_writer_destroy(writer)
    }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - delay: The duration in hundredths of a second.
    ///   - palette: The palette of the frame; `nil` if it uses the shared one.
    ///   - transparentIndex: The index of pixels that are not painted; `nil` if all are.
    ///   - indices: A palette index for each pixel of the patch, row by row.
    func add(
        _ patch: GIFFramePatch, delay: Int, palette: ColorPalette?, transparentIndex: UInt8?, indices: [UInt8]
    ) throws(TintypeError) {
        let rect = patch.rect
        let frame = tintype_gif_frame(
            x: UInt32(rect.x), y: UInt32(rect.y), width: UInt32(rect.size.width), height: UInt32(rect.size.height),
            delay: UInt32(delay), is_cleared: patch.isCleared,
            transparent_index: transparentIndex.map(Int32.init) ?? -1)
        let status = Self.withPalette(palette) { palette in
            indices.withUnsafeBufferPointer { indices in
                indices.baseAddress.map { tintype_gif_writer_add(writer, frame, palette, $0) } ?? .corrupt
            }
        }
        guard status == .ok else { throw Self.failure(status) }
    }

    /// Ends the file and returns it. Nothing can be added afterwards.
    func finish() throws(TintypeError) -> Data {
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = tintype_gif_writer_finish(writer, &bytes, &count)
        guard status == .ok, let bytes else { throw Self.failure(status) }
        return Data(takingOver: bytes, count: count, freedBy: tintype_gif_free)
    }

    private static func withPalette(
        _ palette: ColorPalette?, _ body: (tintype_gif_palette) -> tintype_gif_status
    ) -> tintype_gif_status {
        (palette?.bytes ?? []).withUnsafeBufferPointer { colors in
            body(tintype_gif_palette(colors: colors.baseAddress, count: UInt32(colors.count / 3)))
        }
    }

    private static func failure(_ status: tintype_gif_status) -> TintypeError {
        let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
        return TintypeError(code, stage: .encode, "cannot encode a GIF")
    }
}
