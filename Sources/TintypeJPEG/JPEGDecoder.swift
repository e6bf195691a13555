import CTintypeJPEG
public import Foundation
public import TintypeCore

/// Decodes JPEG (ITU-T T.81) with libjpeg-turbo.
///
/// A smaller size is decoded by scaling in the frequency domain to the next eighth above it, then resampled.
public struct JPEGDecoder: PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.jpeg] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let reader = try JPEGReader(DecodeContext())
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            try reader.open(bytes, isComplete: isComplete).map(ImageInfo.init)
        }
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let reader = try JPEGReader(context)
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            guard let header = try reader.open(bytes, isComplete: true) else {
                throw TintypeError(.truncated, "")
            }
            let info = ImageInfo(header)
            try context.limits.check(info, byteCount: bytes.count)
            let pixels = try Self.pixels(reader, try JPEGPlan(info, context.options), context)
            return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
        }
    }

    public func makeIncrementalDecoder(_ context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalJPEGDecoder(context)
    }

    private static func pixels(
        _ reader: borrowing JPEGReader, _ plan: JPEGPlan, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        let size = try reader.start(eighths: plan.eighths)
        let stored =
            plan.isDone(at: size)
            ? try whole(reader, size)
            : try RowResampler.resampled(size, crop: plan.target.part, of: plan.stored, to: plan.target.size) {
                (count, strip) throws(TintypeError) in
                let stride = strip.bytesPerRow
                return try strip.withRows { rows throws(TintypeError) in
                    try reader.readRows(count, into: rows, stride: stride)
                }
            }
        try reader.finish()
        try context.checkCancelled()
        return try stored.oriented(plan.orientation)
    }

    private static func whole(_ reader: borrowing JPEGReader, _ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        var row = 0
        while row < size.height {
            let count = try writer.withRows(from: row) { rows throws(TintypeError) in
                try reader.readRows(size.height - row, into: rows, stride: stride)
            }
            guard count > 0 else { throw TintypeError(.truncated, "") }
            row += count
        }
        return writer.finish()
    }
}

extension ImageInfo {
    init(_ header: tintype_jpeg_header) {
        let orientation = Orientation(rawValue: Int(header.exif_orientation)) ?? .up
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        self.init(format: .jpeg, size: orientation.displayed(stored), orientation: orientation)
    }
}
