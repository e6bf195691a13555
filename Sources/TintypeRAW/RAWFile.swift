import CTintypeRAW
import Foundation
import TintypeCore

/// The header of a raw image.
struct RAWHeader: Equatable {
    /// The size of the sensor in samples.
    let sensor: PixelSize
    /// The part of the sensor that shows the image.
    let active: PixelSize
    /// The size of the upright image in pixels. It differs for the few sensors with diagonal rows.
    let size: PixelSize
    /// Whether each sample has one colour.
    let isMosaic: Bool

    /// The memory that developing takes at its peak, in bytes, with the result: measured with LibRaw 0.20, rounded up.
    ///
    /// LibRaw unpacks the whole sensor, to samples of 16 bits. It expands the active part to four channels of 16 bits,
    /// once more if the image is stretched or turned by less than a quarter, and to 8-bit RGB. The rest is the result.
    var memoryBytes: Double {
        let samples = Double(sensor.area) * (isMosaic ? 2 : 8)
        return samples + 8 * Double(active.area) + Double(8 + 3 + PixelBuffer.bytesPerPixel) * Double(size.area)
    }
}

/// A raw image that LibRaw has opened. Used by one thread.
struct RAWFile: ~Copyable {
    private let file: OpaquePointer
    private let hook: CancelHook

    /// Reads the header.
    ///
    /// - Parameter bytes: Must outlive the file.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`, `TintypeError.Code.noCoder`
    ///   without LibRaw, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    init(
        _ bytes: UnsafeRawBufferPointer, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) {
        let library = try RAWLibrary.standard.get().functions
        let hook = CancelHook(isCancelled)
        var file: OpaquePointer?
        let status = bytes.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_raw_open(library, $0, bytes.count, CancelHook.callback, hook.pointer, &file)
        }
        guard status == .ok, let file else { throw TintypeError(status ?? .truncated) }
        (self.file, self.hook) = (file, hook)
    }

    deinit {
        tintype_raw_close(file)
    }

    /// The header of the file.
    var header: RAWHeader {
        let header = tintype_raw_get_header(file)
        return RAWHeader(
            sensor: PixelSize(width: Int(header.sensor_width), height: Int(header.sensor_height)),
            active: PixelSize(width: Int(header.active_width), height: Int(header.active_height)),
            size: PixelSize(width: Int(header.width), height: Int(header.height)), isMosaic: header.is_mosaic)
    }

    /// Returns the size of the upright image in pixels, for any sensor.
    consuming func measure() -> PixelSize {
        var (width, height): (UInt32, UInt32) = (0, 0)
        tintype_raw_measure(file, &width, &height)
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Returns the embedded preview, a JPEG; `nil` if there is none.
    ///
    /// - Throws: `TintypeError.Code.cancelled`, and the errors of ``init(_:isCancelled:)``.
    func preview() throws(TintypeError) -> Data? {
        var image = tintype_raw_image()
        let status = tintype_raw_read_preview(file, &image)
        guard status != .noPreview else { return nil }
        guard status == .ok else { throw TintypeError(status) }
        defer { tintype_raw_free(file, image) }
        return image.bytes.map { Data(bytes: $0, count: image.count) }
    }

    /// Develops the image: the colours of all pixels in sRGB, upright.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.cancelled`, `TintypeError.Code.outOfMemory`.
    func develop() throws(TintypeError) -> PixelBuffer {
        var image = tintype_raw_image()
        let status = tintype_raw_develop(file, &image)
        guard status == .ok, let bytes = image.bytes else { throw TintypeError(status) }
        defer { tintype_raw_free(file, image) }
        let size = PixelSize(width: Int(image.width), height: Int(image.height))
        let channels = Int(image.channels)
        var writer = try PixelWriter(size: size)
        for y in 0..<size.height {
            let samples = bytes + channels * y * size.width
            writer.withRows(from: y) { row in Self.write(samples, channels, to: row, size.width) }
        }
        return writer.finish()
    }

    /// Writes a row of grey or RGB samples as pixels.
    private static func write(
        _ samples: UnsafePointer<UInt8>, _ channels: Int, to row: UnsafeMutableRawBufferPointer, _ width: Int
    ) {
        // A grey sample counts for all three channels.
        let (green, blue) = channels == 1 ? (0, 0) : (1, 2)
        for x in 0..<width {
            let sample = samples + channels * x
            (row[4 * x], row[4 * x + 1], row[4 * x + 2]) = (sample[0], sample[green], sample[blue])
            row[4 * x + 3] = 255
        }
    }
}
