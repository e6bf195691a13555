import CTintypeTIFF
package import Foundation
package import TintypeCore

/// Encodes lossless TIFF with libtiff, compressed with Deflate: grey or RGB, with straight alpha unless every pixel is
/// opaque. Many programs take associated alpha for straight, and show it too dark.
///
/// Images with ``Image/highRange`` are written with 16 bits per channel. ``EncodeOptions/effort`` from 0 to 1 is a
/// level of Deflate of 1 to 9.
///
/// Any thread may use an encoder.
package struct TIFFEncoder: ImageEncoder {
    /// Creates a TIFF encoder.
    package init() {}

    /// The formats that this encoder writes: TIFF.
    package var formats: Set<ImageFormat> { [.tiff] }

    /// The level of Deflate without an effort, which is zlib's own default.
    private static let defaultLevel = 6

    /// Encodes `pixels` with 8 bits per channel.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        let layout = Self.layout(
            bits: 8, isGrey: options.allowsGrey && pixels.isGrey, isOpaque: isOpaque, options)
        return try straight.withUnsafeBytes { rows in
            Self.encode(rows, pixels.size, stride: straight.bytesPerRow, layout)
        }.get()
    }

    private static func layout(
        bits: Int32, isGrey: Bool, isOpaque: Bool, _ options: EncodeOptions
    ) -> tintype_tiff_layout {
        tintype_tiff_layout(
            bits: bits, is_grey: isGrey, is_opaque: isOpaque,
            level: Int32(options.effort(from: 1, to: 9) ?? defaultLevel))
    }

    private static func encode(
        _ rows: UnsafeRawBufferPointer, _ size: PixelSize, stride: Int, _ layout: tintype_tiff_layout
    ) -> Result<Data, TintypeError> {
        var message = [CChar](repeating: 0, count: 200)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = rows.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_tiff_encode(
                $0, UInt32(size.width), UInt32(size.height), stride, layout, &bytes, &count, &message, message.count)
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            return .failure(TintypeError(code, stage: .encode, "encoding a TIFF failed: \(String(cText: message))"))
        }
        return .success(Data(takingOver: bytes, count: count, freedBy: tintype_tiff_free))
    }
}

extension TIFFEncoder: DeepImageEncoder {
    /// Encodes a still image with 16 bits per channel.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`.
    package func encode(
        _ samples: DeepSamples, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let layout = Self.layout(
            bits: 16, isGrey: options.allowsGrey && samples.isGrey, isOpaque: samples.isOpaque, options)
        return try samples.samples.withUnsafeBytes { rows in
            Self.encode(rows, samples.size, stride: samples.size.width * 8, layout)
        }.get()
    }
}
