import CTintypeGIF
import Foundation
import TintypeCore

/// giflib writing one file.
struct GIFWriter: ~Copyable {
    private let writer: OpaquePointer
    private let size: PixelSize

    /// - Parameters:
    ///   - shared: colours of the frames that have none of their own.
    ///   - repeats: how often the frames begin again, 0 is forever; `nil` where they do not.
    init(size: PixelSize, shared: ColorPalette?, repeats: Int?) throws(TintypeError) {
        guard max(size.width, size.height) <= Int(UInt16.max) else {
            throw TintypeError(.encodeFailed, stage: .encode, "no GIF has \(size) pixels")
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

    /// - Parameters:
    ///   - own: its colours; `nil` where it has the shared ones.
    ///   - unpainted: the index of what is not painted, if there is such.
    func add(
        _ painting: GIFPainting, delay: Int, _ own: ColorPalette?, unpainted: UInt8?, _ indices: [UInt8]
    ) throws(TintypeError) {
        let rect = painting.rect
        let frame = tintype_gif_frame(
            x: UInt32(rect.x), y: UInt32(rect.y), width: UInt32(rect.size.width), height: UInt32(rect.size.height),
            delay: UInt32(delay), is_cleared: painting.isCleared,
            transparent_index: unpainted.map(Int32.init) ?? -1)
        let status = Self.withPalette(own) { palette in
            indices.withUnsafeBufferPointer { indices in
                indices.baseAddress.map { tintype_gif_writer_add(writer, frame, palette, $0) } ?? .corrupt
            }
        }
        guard status == .ok else { throw Self.failure(status) }
    }

    func finish() throws(TintypeError) -> Data {
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = tintype_gif_writer_finish(writer, &bytes, &count)
        guard status == .ok, let bytes else { throw Self.failure(status) }
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in tintype_gif_free(pointer.assumingMemoryBound(to: UInt8.self)) })
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
        return TintypeError(code, stage: .encode, "no GIF could be made")
    }
}
