public import Foundation
import TintypeColor
public import TintypeCore

extension JPEGDecoder: SalvagingImageDecoder {
    /// What libjpeg makes of it: of one that is cut short, the rows or scans before that; past damage it goes on at the next
    /// restart marker, or with what it takes for pixels.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        let reader = try JPEGReader(context)
        reader.tolerateDamage()
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try reader.open(raw, isComplete: true) else { return nil }
            let segments = JPEGSegments(raw)
            let info = ImageInfo(header, segments)
            try context.limits.check(info)
            let converter = header.converter(of: try segments.colors(context.limits))
            if converter?.isOfInks == true { reader.keepInks() }
            let plan = try JPEGPlan(info, context.options)
            var writer = try PixelWriter(size: try reader.start(eighths: plan.eighths))
            writer.clear()
            guard try Self.readRows(reader, into: &writer, converter) > 0 else { return nil }
            let pixels = try writer.finish().resampled(
                crop: plan.target.part, of: plan.stored, to: plan.target.size, filter: .lanczos3)
            return Image(pixels: try pixels.oriented(plan.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }

    /// Few, since none of those that are read together is counted where damage is met.
    private static let rowsAtOnce = 8

    /// Fills the rows that there are; returns how many.
    private static func readRows(
        _ reader: borrowing JPEGReader, into writer: inout PixelWriter, _ converter: ColorConverter?
    ) throws(TintypeError) -> Int {
        let (height, stride) = (writer.size.height, writer.bytesPerRow)
        var row = 0
        do throws(TintypeError) {
            while row < height {
                let count = try writer.withRows(from: row) { rows throws(TintypeError) in
                    try reader.readRows(min(Self.rowsAtOnce, height - row), into: rows, stride: stride)
                }
                guard count > 0 else { break }
                writer.convert(rows: count, from: row, by: converter)
                row += count
            }
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return row
    }
}
