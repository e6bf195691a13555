import TintypeCore

/// A graphic control extension, which speaks of the image after it (GIF89a, 23).
struct GIFControl {
    var duration = 0.0
    var disposal = AnimationFrame.Disposal.keep
    var transparentIndex: UInt8?

    init() {}

    init(_ flags: UInt8, delay: Int, transparentIndex: UInt8) {
        duration = Double(delay) / 100
        disposal = Self.disposal(flags >> 2 & 7)
        self.transparentIndex = flags & 1 == 1 ? transparentIndex : nil
    }

    /// 4 is not defined; old programs wrote it for 3, and browsers read it so.
    private static func disposal(_ stored: UInt8) -> AnimationFrame.Disposal {
        switch stored {
        case 2: .background
        case 3, 4: .previous
        default: .keep
        }
    }
}
