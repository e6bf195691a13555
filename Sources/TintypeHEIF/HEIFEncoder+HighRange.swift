import CLibHEIF
package import Foundation
import TintypeColor
package import TintypeCore

/// Encodes still images with 10 bits per channel, in PQ with the primaries of Rec. ITU-R BT.2100.
extension HEIFEncoder: HighRangeImageEncoder {
    /// Encodes a still image. Alpha is omitted if every pixel is opaque.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, also if the HEVC encoder of libheif has no 10 bits;
    ///   `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func encode(
        _ highRange: HighRangePixels, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        try prepare(highRange)(options)
    }
}

extension HEIFEncoder: PreparingHighRangeEncoder {
    package func prepare(
        _ highRange: HighRangePixels
    ) throws(TintypeError) -> (EncodeOptions) throws(TintypeError) -> Data {
        let rows = try PQRows(highRange, alpha: .unlessOpaque)
        return { options throws(TintypeError) in
            try encode(options, statesColors: true) { image throws(TintypeError) in try fill(&image, with: rows) }
        }
    }

    /// The bits of a sample.
    private static let depth = 10

    /// Creates a libheif image of straight samples.
    private func fill(_ image: inout OpaquePointer?, with rows: PQRows) throws(TintypeError) {
        let (width, height) = (Int32(clamping: rows.size.width), Int32(clamping: rows.size.height))
        let chroma = rows.isOpaque ? heif_chroma_interleaved_RRGGBB_LE : heif_chroma_interleaved_RRGGBBAA_LE
        try check(heif_image_create(width, height, heif_colorspace_RGB, chroma, &image))
        try check(heif_image_add_plane(image, heif_channel_interleaved, width, height, Int32(Self.depth)))
        try describe(image)
        var stride: Int32 = 0
        guard let plane = heif_image_get_plane(image, heif_channel_interleaved, &stride) else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a HEIC encoder")
        }
        let length = rows.size.width * (rows.isOpaque ? 3 : 4)
        let maximum = UInt32(1) << UInt32(Self.depth) - 1
        for y in 0..<rows.size.height {
            let row = UnsafeMutableRawPointer(plane + y * Int(stride))
            for index in 0..<length {
                let sample = UInt16((UInt32(rows.samples[y * length + index]) * maximum + 32_767) / 65_535)
                row.storeBytes(of: sample.littleEndian, toByteOffset: 2 * index, as: UInt16.self)
            }
        }
    }

    /// States the colours, by which libheif also chooses the matrix.
    private func describe(_ image: OpaquePointer?) throws(TintypeError) {
        guard let colors = heif_nclx_color_profile_alloc() else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a HEIC encoder")
        }
        defer { heif_nclx_color_profile_free(colors) }
        // Rec. ITU-R BT.2020, PQ, and the matrix of BT.2020 with non-constant luminance (ITU-T H.273).
        try check(heif_nclx_color_profile_set_color_primaries(colors, 9))
        try check(heif_nclx_color_profile_set_transfer_characteristics(colors, 16))
        try check(heif_nclx_color_profile_set_matrix_coefficients(colors, 9))
        colors.pointee.full_range_flag = 1
        try check(heif_image_set_nclx_color_profile(image, colors))
    }
}

/// Adds the gain maps of 8-bit images (ISO 21496-1).
extension HEIFEncoder: GainMapImageEncoder {
    package func adding(
        _ map: Data, _ parameters: WrittenGainMap, to file: Data, of size: PixelSize
    ) throws(TintypeError) -> Data {
        try ToneMappedFile(base: file, map: map, parameters, size: size).data
    }
}
