import CTintypePNG
import TintypeColor
import TintypeCore

extension PNGReader {
    /// The picture of 16 bits a channel, once it is started so. One that is interlaced is whole in memory meanwhile.
    func wide(_ header: tintype_png_header, _ rows: WideRows) throws(TintypeError) -> WidePicture {
        let stride = Int(header.width) * 8
        guard header.is_interlaced else {
            return try rows.picture { (_, count, words) throws(TintypeError) in
                _ = try readRows(count, into: UnsafeMutableRawBufferPointer(words), stride: stride)
            }
        }
        var whole = try HighRangePixels.writer(PixelSize(width: Int(header.width), height: Int(header.height)))
        let wholeStride = whole.bytesPerRow
        try whole.withRows { bytes throws(TintypeError) in try readImage(into: bytes, stride: wholeStride) }
        let pixels = whole.finish()
        return try rows.picture { (first, count, words) in words.copyRows(first..<first + count, of: pixels) }
    }
}
