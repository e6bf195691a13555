import CTintypeRAW
import Foundation
import TintypeCore

/// A raw image that LibRaw has opened. Used by one thread.
struct RAWFile: ~Copyable {
    private let file: OpaquePointer
    private let hook: CancelHook

    /// Reads the header.
    ///
    /// - Parameter bytes: Must outlive the file.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/noCoder`` without LibRaw,
    ///   ``TintypeError/Code/outOfMemory``.
    init(
        _ bytes: UnsafeRawBufferPointer, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) {
        let library = try RAWLibrary.standard.get().functions
        let hook = CancelHook(isCancelled)
        var file: OpaquePointer?
        let status = bytes.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_raw_open(library, $0, bytes.count, CancelHook.callback, hook.pointer, &file)
        }
        guard status == .ok, let file else { throw TintypeError(status ?? .corrupt) }
        (self.file, self.hook) = (file, hook)
    }

    deinit {
        tintype_raw_close(file)
    }

    /// Returns the size of the upright image in pixels.
    consuming func measure() -> PixelSize {
        var (width, height): (Int32, Int32) = (0, 0)
        tintype_raw_measure(file, &width, &height)
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Returns the embedded preview, a JPEG; `nil` if there is none.
    ///
    /// - Throws: ``TintypeError/Code/cancelled``, ``TintypeError/Code/outOfMemory``.
    func preview() throws(TintypeError) -> Data? {
        var image = tintype_raw_image()
        let status = tintype_raw_read_preview(file, &image)
        guard status == .ok else {
            guard status == .noPreview || status == .corrupt else { throw TintypeError(status) }
            return nil
        }
        defer { tintype_raw_free(file, image) }
        return image.bytes.map { Data(bytes: $0, count: image.count) }
    }

    /// Develops the image: the colours of all pixels in sRGB, upright.
    ///
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/cancelled``,
    ///   ``TintypeError/Code/outOfMemory``.
    func develop() throws(TintypeError) -> PixelBuffer {
        var image = tintype_raw_image()
        let status = tintype_raw_develop(file, &image)
        guard status == .ok, let bytes = image.bytes else { throw TintypeError(status) }
        defer { tintype_raw_free(file, image) }
        let size = PixelSize(width: Int(image.width), height: Int(image.height))
        var writer = try PixelWriter(size: size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    for channel in 0..<3 { row[4 * x + channel] = bytes[3 * (y * size.width + x) + channel] }
                    row[4 * x + 3] = 255
                }
            }
        }
        return writer.finish()
    }
}
