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

/// One image of a GIF: what is said of it, and where it is.
struct GIFImage {
    var frame: AnimationFrame
    /// From the image's descriptor to the end of its data.
    var place: Range<Int>
    /// Its colours, its own or those of the whole file, three bytes each.
    var palette: Range<Int>
    var transparentIndex: UInt8?
}

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

/// The bytes of a GIF, or the beginning of it, read from one place on. Numbers are little-endian.
struct GIFBytes {
    /// There are no more bytes.
    struct End: Error {}

    let bytes: UnsafeRawBufferPointer
    private(set) var place = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func byte() throws(End) -> UInt8 {
        bytes[try skip(1).lowerBound]
    }

    mutating func number() throws(End) -> Int {
        let low = try byte()
        return Int(low) | Int(try byte()) << 8
    }

    /// The place of the next `count` bytes, which are passed over.
    @discardableResult
    mutating func skip(_ count: Int) throws(End) -> Range<Int> {
        guard count <= bytes.count - place else { throw End() }
        defer { place += count }
        return place..<place + count
    }

    /// The place of the next data sub-block (GIF89a, 15); `nil` for the one without data that ends a row of them.
    mutating func subBlock() throws(End) -> Range<Int>? {
        let count = Int(try byte())
        return count == 0 ? nil : try skip(count)
    }

    mutating func skipSubBlocks() throws(End) {
        while try subBlock() != nil {}
    }

    mutating func skipRest() {
        place = bytes.count
    }

    /// Leaves the last byte to be read again.
    mutating func stepBack() {
        place = max(0, place - 1)
    }
}
