public import Foundation
import TintypeColor
public import TintypeCore

extension TIFFDecoder: SalvagingImageDecoder {
    /// The strips or tiles before the damage. Of a file that is cut short there is nothing, unless its directory stands at the
    /// beginning.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try TIFFReader(raw, context.limits)
            let info = reader.info
            try context.limits.check(info)
            let target = try DecodeTarget(info, context.options)
            try reader.start()
            guard let stored = try Self.rows(reader, info.storedSize, context) else { return nil }
            let pixels = try stored.resampled(crop: target.part, to: target.size, filter: .lanczos3)
            return Image(pixels: try pixels.oriented(info.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }

    /// The rows that there are; `nil` when there is none.
    private static func rows(
        _ reader: borrowing TIFFReader, _ size: PixelSize, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        let converter = ColorConverter(try reader.colors(context.limits), reader.channels)
        let height = reader.batchHeight
        var scratch = [UInt32](repeating: 0, count: size.width * height)
        var writer = try PixelWriter(size: size)
        writer.clear()
        var first = 0
        do throws(TintypeError) {
            while first < size.height {
                let rows = first..<min(first + height, size.height)
                try read(reader, rows, first, &writer, &scratch, context)
                writer.convertPremultiplied(rows: rows.count, from: first, by: converter)
                first = rows.upperBound
            }
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return first > 0 ? writer.finish() : nil
    }
}
