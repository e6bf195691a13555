import CLibJXL
import TintypeCore

/// Decodes frames of one JPEG XL, each as it is shown: libjxl blends what a file stores in layers.
struct JXLPixels: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private let header: JXLHeader
    private var reader: JXLReader
    /// The frame that comes next.
    private var place = 0

    /// - Parameter bytes: of a whole file; must outlive this.
    init(_ bytes: UnsafeRawBufferPointer, _ header: JXLHeader) throws(TintypeError) {
        self.bytes = bytes
        self.header = header
        reader = try Self.reader(bytes)
    }

    private static func reader(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> JXLReader {
        try JXLReader(bytes, isComplete: true, events: JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE)
    }

    /// - Parameter index: an earlier frame than the last one makes it begin anew.
    mutating func frame(_ index: Int, isCancelled: () -> Bool) throws(TintypeError) -> PixelBuffer {
        if index < place {
            reader = try Self.reader(bytes)
            place = 0
        }
        reader.skip(index - place)
        var writer = try PixelWriter(size: header.info.storedSize)
        try decode(&writer, isCancelled)
        place = index + 1
        if header.info.hasAlpha && !header.isPremultiplied { writer.premultiply(rows: writer.size.height) }
        return writer.finish()
    }

    private mutating func decode(_ writer: inout PixelWriter, _ isCancelled: () -> Bool) throws(TintypeError) {
        try writer.withRows { rows throws(TintypeError) in
            while true {
                switch try reader.next(isCancelled: isCancelled) {
                case JXL_DEC_COLOR_ENCODING: reader.wantSRGB()
                case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try reader.setTarget(rows)
                case JXL_DEC_FULL_IMAGE: return
                default: throw .damagedJXL
                }
            }
        }
    }
}
