import TintypeBMP
import TintypeCore

/// One picture of an icon, as its directory describes it.
struct ICOEntry {
    let size: PixelSize
    let depth: Int
    let place: Range<Int>

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        // One byte has no room for 256, which is stored as 0.
        func side(_ stored: UInt8) -> Int { stored == 0 ? 256 : Int(stored) }
        size = PixelSize(width: side(bytes[offset]), height: side(bytes[offset + 1]))
        // A cursor has a place of its tip here.
        depth = bytes[2] == 1 ? bytes.littleEndian16(at: offset + 6) : 0
        let start = Int(bytes.littleEndian32(at: offset + 12))
        place = start..<start + Int(bytes.littleEndian32(at: offset + 8))
    }
}
