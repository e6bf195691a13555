import CTintypeJPEG
import TintypeColor
import TintypeCore

/// The gain map of a JPEG, a second image in the file, which makes a brighter rendition of the first (Ultra HDR;
/// ISO 21496-1).
struct JPEGGainMap {
    private let parameters: GainMapParameters
    private let bytes: UnsafeRawBufferPointer
    private let context: DecodeContext

    /// Finds the gain map.
    ///
    /// - Parameters:
    ///   - bytes: The file. It must outlive this value.
    ///   - segments: The segments of its first image.
    /// - Returns: `nil` if there is none.
    init?(_ bytes: UnsafeRawBufferPointer, _ segments: JPEGSegments, _ context: DecodeContext) {
        // The others are previews of other sizes, or depth maps.
        for range in segments.furtherImages {
            let image = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard image.starts(with: [0xFF, 0xD8, 0xFF]), let parameters = JPEGSegments(image).gainMap else { continue }
            (self.parameters, self.bytes, self.context) = (parameters, image, context)
            return
        }
        return nil
    }

    /// Returns the bright rendition of an image, in linear light.
    ///
    /// - Parameters:
    ///   - pixels: The upright result of decoding the first image.
    ///   - plan: How the first image was decoded.
    /// - Returns: `nil` if the map is damaged, exceeds a limit or does not belong to the image.
    /// - Throws: `TintypeError.Code.cancelled`.
    func applied(to pixels: PixelBuffer, _ plan: JPEGPlan) throws(TintypeError) -> HighRangePixels? {
        try GainMap.brightened(WideImage(pixels: pixels, highRange: nil), context) { () throws(TintypeError) in
            try decodeGains(for: pixels, plan).map { (gains: $0, map: GainMap(parameters)) }
        }
    }

    /// Decodes the map, and returns the part of it that belongs to the pixels, at their size.
    private func decodeGains(for pixels: PixelBuffer, _ plan: JPEGPlan) throws(TintypeError) -> PixelBuffer? {
        let reader = try JPEGReader(context)
        guard let header = try reader.open(bytes, isComplete: true) else { return nil }
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        let map = ImageInfo(format: .jpeg, size: stored)
        try context.limits.check(map, byteCount: bytes.count)
        guard let scale = GainMap.scale(of: stored, to: plan.stored) else { return nil }
        // The pixels, the gains at their size, and the turned copy of these.
        try context.limits.checkMemory(
            bytesPerPixel: header.bytesPerPixel, of: stored,
            other: 3 * Double(pixels.size.area) * Double(PixelBuffer.bytesPerPixel))
        // Without a converter: gains are not colours.
        let (gains, isDamaged) = try JPEGDecoder.decodePixels(reader, nil, JPEGPlan(map, DecodeOptions()), context)
        guard !isDamaged else { return nil }
        return try GainMap.part(of: gains, plan.target, scale: scale).oriented(plan.orientation)
    }
}
