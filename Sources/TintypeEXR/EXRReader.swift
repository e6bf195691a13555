import CTintypeEXR
import Foundation
import TintypeColor
import TintypeCore

/// An open OpenEXR. Used by one thread.
struct EXRReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: tintype_exr_header

    /// Opens a file and reads its header.
    ///
    /// - Parameter bytes: Must outlive the reader.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.noCoder` if
    ///   OpenEXRCore is not installed.
    init(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let library = try EXRLibrary.standard.get().functions
        var message = [CChar](repeating: 0, count: Self.messageSize)
        var reader: OpaquePointer?
        let status = bytes.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_exr_open(library, $0, bytes.count, Self.longestSide, &reader, &message, message.count)
        }
        guard status == .ok, let reader else { throw TintypeError(status ?? .corrupt, String(cText: message)) }
        self.reader = reader
        header = tintype_exr_get_header(reader)
    }

    deinit {
        tintype_exr_close(reader)
    }

    private static let messageSize = 200
    /// More than any limit allows. The limits themselves are checked with their own error.
    private static let longestSide: Int32 = 1 << 24

    /// The size of the display window, which is that of the image.
    var size: PixelSize { Self.size(header.display) }
    /// The size of the data window, which has the pixels.
    var storedSize: PixelSize { Self.size(header.data) }
    /// The position of the data window in the display window.
    var origin: (x: Int, y: Int) {
        (Int(header.data.min_x) - Int(header.display.min_x), Int(header.data.min_y) - Int(header.display.min_y))
    }
    /// The number of rows of a band.
    var bandHeight: Int { min(Int(header.band_height), max(storedSize.height, 1)) }

    private static func size(_ window: tintype_exr_window) -> PixelSize {
        PixelSize(
            width: Int(window.max_x) - Int(window.min_x) + 1, height: Int(window.max_y) - Int(window.min_y) + 1)
    }

    /// The primaries and the white.
    var chromaticities: Chromaticities {
        guard header.has_chromaticities else { return .standard }
        let values = withUnsafeBytes(of: header.chromaticities) { bytes in
            bytes.bindMemory(to: Float.self).map(Double.init)
        }
        return Chromaticities(
            white: .init(values[6], values[7]), red: .init(values[0], values[1]), green: .init(values[2], values[3]),
            blue: .init(values[4], values[5]))
    }

    /// The properties of the image.
    var info: ImageInfo {
        // Around a smaller data window, the image is transparent.
        let isFilled =
            origin.x <= 0 && origin.y <= 0 && origin.x + storedSize.width >= size.width
            && origin.y + storedSize.height >= size.height
        var info = ImageInfo(format: .exr, size: size, hasAlpha: header.has_alpha || !isFilled)
        info.bitDepth = header.is_float ? 32 : 16
        return info
    }

    /// Reads a band of rows of the data window. Bands are read in order.
    ///
    /// - Parameters:
    ///   - luma: The share of red, green and blue in luminance.
    ///   - light: Receives premultiplied red, green, blue and alpha, in rows of the width of the data window.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`.
    func readBand(_ band: Int, _ luma: SIMD3<Float>, into light: inout [Float]) throws(TintypeError) {
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = tintype_exr_read_band(
            reader, Int32(band), [luma.x, luma.y, luma.z], &light, &message, message.count)
        guard status == .ok else { throw TintypeError(status, String(cText: message)) }
    }
}
