package import Foundation
import TintypeColor
public import TintypeCore

extension ImageFormat {
    /// OpenEXR.
    public static let exr = ImageFormat(rawValue: "exr", mediaType: "image/x-exr", fileExtensions: ["exr"])
}

extension ImageCoderRegistry {
    /// The decoder of OpenEXR.
    public static let exr = ImageCoderRegistry(decoders: [EXRDecoder()])
}

/// Decodes OpenEXR with OpenEXRCore: the first flat image of a file that has colours or luminance, in rows or tiles,
/// with every compression of the library. Version 3.1 lacks DWAA and DWAB.
///
/// The image is the display window. Where the data window has no pixels, it is transparent. Light is linear, and 1 is
/// reference white: ``Image/highRange`` has all of it, in the primaries of sRGB, with
/// ``DecodeOptions/DynamicRange/high``. Of an image with brighter light, ``Image/pixels`` are tone-mapped as those of
/// PQ are. Others have exactly the sRGB codes of their light.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(.exr).sandboxed()
///
/// OpenEXRCore 3.1 is loaded when the first OpenEXR is decoded: install `libopenexr-3-1-30` on Debian, `openexr-libs`
/// on Fedora. The library offers no cancellation within a band of rows. Decoders hold no state; any thread may use one.
package struct EXRDecoder: RecognizingImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// OpenEXR.
    package var formats: Set<ImageFormat> { [.exr] }

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Loads OpenEXRCore.
    package static func prepareWorker() {
        _ = EXRLibrary.standard
    }

    /// Whether an image begins like an OpenEXR of version 2.
    package func recognizes(_ head: Data) -> Bool { head.starts(with: [0x76, 0x2F, 0x31, 0x01, 0x02]) }

    /// Reads the header.
    ///
    /// - Returns: `nil` if the bytes may end within the header.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.noCoder` if
    ///   OpenEXRCore is not installed.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in try EXRReader(raw).info }
        } catch {
            guard !isComplete, error.code == .undecodable else { throw error }
            return nil
        }
    }

    /// Decodes the image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated, or has no flat image with
    ///   colours, `TintypeError.Code.limitExceeded`, before anything is allocated, `TintypeError.Code.noCoder` if
    ///   OpenEXRCore is not installed, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try EXRReader(raw)
            var info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            try context.limits.check(ImageInfo(format: .exr, size: reader.storedSize), byteCount: raw.count)
            // A band as numbers, and what the library unpacks for it, also of channels that are not shown.
            let band = Double(reader.storedSize.width) * Double(reader.bandHeight) * 64
            try context.limits.checkMemory(
                bytesPerPixel: HighRangePixels.bytesPerPixel + PixelBuffer.bytesPerPixel, of: info.size, other: band)
            let target = try DecodeTarget(info, options: context.options)
            let light = try Self.light(reader, context)
            let mapping = try LightToneMapping(light, context)
            info.isHighRange = mapping.peak > 1
            let pixels = try mapping.standard(light, target, context)
            let highRange =
                context.options.range == .high ? try light.resampled(crop: target.part, to: target.size) : nil
            return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1, highRange: highRange)
        }
    }

    /// Reads all rows, and places them in the display window.
    private static func light(
        _ reader: borrowing EXRReader, _ context: DecodeContext
    ) throws(TintypeError) -> HighRangePixels {
        let (size, stored, origin, height) = (reader.size, reader.storedSize, reader.origin, reader.bandHeight)
        let scene = SceneLight(reader.chromaticities)
        var writer = try HighRangePixels.writer(size)
        writer.clear()
        var light = [Float](repeating: 0, count: stored.width * height * 4)
        // The columns of the data window that are shown.
        let columns = max(-origin.x, 0)..<max(min(stored.width, size.width - origin.x), max(-origin.x, 0))
        guard !columns.isEmpty else { return HighRangePixels(rows: writer.finish()) }
        for (band, first) in stride(from: 0, to: stored.height, by: height).enumerated() {
            try context.checkCancelled()
            try reader.readBand(band, scene.luma, into: &light)
            for row in first..<min(first + height, stored.height) where (0..<size.height).contains(origin.y + row) {
                let start = (row - first) * stored.width
                light.withUnsafeBufferPointer { light in
                    let shown = UnsafeBufferPointer(
                        rebasing: light[4 * (start + columns.lowerBound)..<4 * (start + columns.upperBound)])
                    writer.withRows(from: origin.y + row) { target in
                        let offset = (origin.x + columns.lowerBound) * HighRangePixels.bytesPerPixel
                        scene.write(shown, to: UnsafeMutableRawBufferPointer(rebasing: target[offset...]))
                    }
                }
            }
        }
        return HighRangePixels(rows: writer.finish())
    }
}
