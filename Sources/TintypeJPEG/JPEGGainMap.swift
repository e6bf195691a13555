import CTintypeJPEG
import Foundation
import TintypeCore

/// The gain map of a JPEG, a second image in the file, which makes a brighter rendition of the first (Ultra HDR;
/// ISO 21496-1).
///
/// The gains are applied in the primaries of sRGB, to which the image was converted. That differs from its own primaries
/// only where the gains of the channels differ.
struct JPEGGainMap {
    private let parameters: GainMapParameters
    private let bytes: UnsafeRawBufferPointer
    private let context: DecodeContext

    /// Finds the gain map.
    ///
    /// - Parameters:
    ///   - bytes: The file. It must outlive this value.
    ///   - segments: The segments of its first image.
    /// - Returns: `nil` if there is none, or the request does not ask for the high range.
    init?(_ bytes: UnsafeRawBufferPointer, _ segments: JPEGSegments, _ context: DecodeContext) {
        guard context.options.range == .high else { return nil }
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
    /// - Returns: `nil` if the map is damaged, exceeds a limit or does not belong to the image, whose ordinary rendition
    ///   remains.
    /// - Throws: ``TintypeError/Code/cancelled``.
    func applied(to pixels: PixelBuffer, _ plan: JPEGPlan) throws(TintypeError) -> HighRangePixels? {
        do throws(TintypeError) {
            // The map at the size of the image, and the result.
            try context.limits.checkMemory(
                bytesPerPixel: 2 * PixelBuffer.bytesPerPixel + HighRangePixels.bytesPerPixel, of: pixels.size)
            guard let gains = try decodeGains(plan), gains.size == pixels.size else { return nil }
            return try bright(pixels, gains)
        } catch {
            guard error.code != .cancelled else { throw error }
            return nil
        }
    }

    /// Decodes the map, and returns the part of it that belongs to the pixels, at their size.
    private func decodeGains(_ plan: JPEGPlan) throws(TintypeError) -> PixelBuffer? {
        let reader = try JPEGReader(context)
        guard let header = try reader.open(bytes, isComplete: true) else { return nil }
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        let map = ImageInfo(format: .jpeg, size: stored)
        try context.limits.check(map, byteCount: bytes.count)
        try context.limits.checkMemory(bytesPerPixel: header.bytesPerPixel, of: stored)
        let scale = Double(stored.width) / Double(plan.stored.width)
        guard abs(Double(stored.height) / Double(plan.stored.height) / scale - 1) < 0.05 else { return nil }
        // Without a converter: gains are not colours.
        let (gains, isDamaged) = try JPEGDecoder.decodePixels(reader, nil, JPEGPlan(map, DecodeOptions()), context)
        guard !isDamaged else { return nil }
        let target = plan.target
        return try gains.resampled(crop: target.part, scale: scale, to: target.size, filter: .bilinear)
            .oriented(plan.orientation)
    }

    // MARK: Light

    /// The factor for each 8-bit code of a channel of the map.
    private static func factors(_ channel: GainMapParameters.Channel) -> [Float] {
        (0...255).map { code in
            let share = pow(Double(code) / 255, 1 / channel.gamma)
            return Float(exp2(channel.least * (1 - share) + channel.greatest * share))
        }
    }

    private static let brightest = SIMD4<Float>(repeating: Float(Float16.greatestFiniteMagnitude))

    private func bright(_ pixels: PixelBuffer, _ gains: PixelBuffer) throws(TintypeError) -> HighRangePixels {
        let factors = parameters.channels.map(Self.factors)
        let before = parameters.channels.map { Float($0.baseOffset) }
        let after = parameters.channels.map { Float($0.brightOffset) }
        var writer = try HighRangePixels.writer(pixels.size)
        for y in 0..<pixels.size.height {
            try context.checkCancelled()
            writer.withRows(from: y) { target in
                pixels.withUnsafeRow(y) { base in
                    gains.withUnsafeRow(y) { gain in
                        for x in 0..<pixels.size.width {
                            var light = SIMD4<Float>(0, 0, 0, 1)
                            for channel in 0..<3 {
                                let own = SRGBCurve.light[Int(base[4 * x + channel])] + before[channel]
                                light[channel] = own * factors[channel][Int(gain[4 * x + channel])] - after[channel]
                            }
                            // Brighter light than 16 bits can represent would be infinite.
                            light.clamp(lowerBound: -Self.brightest, upperBound: Self.brightest)
                            target.storeBytes(
                                of: SIMD4<Float16>(light), toByteOffset: x * HighRangePixels.bytesPerPixel,
                                as: SIMD4<Float16>.self)
                        }
                    }
                }
            }
        }
        return HighRangePixels(rows: writer.finish())
    }
}
