import TintypeCore

/// Walks the blocks of a GIF (GIF89a, 11 to 27), decompressing nothing.
struct GIFBlocks {
    let canvasSize: PixelSize
    /// The total number of plays as far as it was told; 0 is forever. Without a word, once.
    private(set) var playCount = 1
    private var bytes: GIFBytes
    private var globalPalette: Range<Int>?
    private var control = GIFControl()
    /// Whether an image whose data end early counts.
    private let keepsCutImage: Bool

    /// Reads the header and the screen descriptor.
    init(_ raw: UnsafeRawBufferPointer, keepsCutImage: Bool = false) throws(GIFBytes.End) {
        self.keepsCutImage = keepsCutImage
        var bytes = GIFBytes(raw)
        try bytes.skip(6)
        canvasSize = PixelSize(width: try bytes.number(), height: try bytes.number())
        let flags = try bytes.byte()
        try bytes.skip(2)
        globalPalette = try Self.palette(flags, &bytes)
        self.bytes = bytes
    }

    /// The next image; `nil` at the trailer.
    mutating func nextImage() throws(GIFBytes.End) -> Result<GIFImage, TintypeError>? {
        while true {
            switch try bytes.byte() {
            case 0x21: try readExtension()
            case 0x2C: return try image()
            case 0x3B: return nil
            default: return .failure(.damagedGIF("bytes between its blocks"))
            }
        }
    }

    // MARK: Images

    private mutating func image() throws(GIFBytes.End) -> Result<GIFImage, TintypeError> {
        let start = bytes.place - 1
        let (x, y) = (try bytes.number(), try bytes.number())
        let size = PixelSize(width: try bytes.number(), height: try bytes.number())
        let local = try Self.palette(bytes.byte(), &bytes)
        let codeSize = Int(try bytes.byte())
        do throws(GIFBytes.End) {
            try bytes.skipSubBlocks()
        } catch {
            guard keepsCutImage else { throw error }
            bytes.skipRest()
        }
        guard let palette = local ?? globalPalette else { return .failure(.damagedGIF("an image without colours")) }
        defer { control = GIFControl() }
        let hasAlpha = control.transparentIndex != nil || palette.count / 3 < 1 << min(codeSize, 8)
        let frame = AnimationFrame(
            rect: PixelRect(x: x, y: y, size: size), duration: control.duration, disposal: control.disposal,
            hasAlpha: hasAlpha)
        return .success(
            GIFImage(
                frame: frame, place: start..<bytes.place, palette: palette,
                transparentIndex: control.transparentIndex))
    }

    private static func palette(_ flags: UInt8, _ bytes: inout GIFBytes) throws(GIFBytes.End) -> Range<Int>? {
        flags & 0x80 == 0 ? nil : try bytes.skip(3 << Int(flags & 7 + 1))
    }

    // MARK: Extensions

    private mutating func readExtension() throws(GIFBytes.End) {
        switch try bytes.byte() {
        case 0xF9: try readControl()
        case 0xFF: try readApplication()
        default: break
        }
        try bytes.skipSubBlocks()
    }

    private mutating func readControl() throws(GIFBytes.End) {
        guard let block = try bytes.subBlock() else { return bytes.stepBack() }
        guard block.count >= 4 else { return }
        let data = UnsafeRawBufferPointer(rebasing: bytes.bytes[block])
        control = GIFControl(data[0], delay: Int(data[1]) | Int(data[2]) << 8, transparentIndex: data[3])
    }

    /// The Netscape block tells how often to begin again: once more than it says is the number of plays, as WebKit, Blink
    /// and Gecko have it; 0 is forever.
    private mutating func readApplication() throws(GIFBytes.End) {
        guard let name = try bytes.subBlock() else { return bytes.stepBack() }
        guard Self.loopingApplications.contains(where: { bytes.bytes[name].elementsEqual($0.utf8) }) else { return }
        guard let block = try bytes.subBlock() else { return bytes.stepBack() }
        let data = UnsafeRawBufferPointer(rebasing: bytes.bytes[block])
        guard data.count >= 3, data[0] & 7 == 1 else { return }
        let repeats = Int(data[1]) | Int(data[2]) << 8
        playCount = repeats == 0 ? 0 : repeats + 1
    }

    private static let loopingApplications = ["NETSCAPE2.0", "ANIMEXTS1.0"]
}
