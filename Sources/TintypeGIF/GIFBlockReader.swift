import TintypeCore

/// Reads the blocks of a GIF (GIF89a, 11 to 27) without decompressing the images.
struct GIFBlockReader {
    let canvasSize: PixelSize
    /// The total number of plays read so far; 0 is forever. 1 if the file does not say.
    private(set) var playCount = 1
    private var bytes: GIFByteReader
    private var globalPalette: Range<Int>?
    /// The extension that applies to the next image.
    private var control = GIFGraphicControl()
    private let acceptsTruncatedImage: Bool
    private let tolerance: DecodeOptions.DamageTolerance
    private var imageCount = 0
    /// The number of extensions and stray zeros since the last image.
    private var skippedBlocks = 0
    /// Whether bytes were skipped that belong to no block.
    private(set) var hasStrayBytes = false
    /// Whether the bytes ended instead of the trailer.
    private(set) var lacksTrailer = false
    private let isComplete: Bool

    /// Reads the header and the screen descriptor.
    ///
    /// - Parameters:
    ///   - isComplete: Whether `raw` is a whole file, which may lack its trailer.
    ///   - acceptsTruncatedImage: Whether an image whose data is truncated by the end of the bytes counts.
    ///   - tolerance: Whether bytes between blocks, and a missing trailer, are an error.
    init(
        _ raw: UnsafeRawBufferPointer, isComplete: Bool = false, acceptsTruncatedImage: Bool = false,
        tolerance: DecodeOptions.DamageTolerance = .minor
    ) throws(GIFByteReader.EndOfData) {
        self.isComplete = isComplete
        self.acceptsTruncatedImage = acceptsTruncatedImage
        self.tolerance = tolerance
        var bytes = GIFByteReader(raw)
        try bytes.skip(6)
        canvasSize = PixelSize(width: try bytes.readUInt16(), height: try bytes.readUInt16())
        let flags = try bytes.readByte()
        try bytes.skip(2)
        globalPalette = try Self.readPalette(flags, &bytes)
        self.bytes = bytes
    }

    /// Returns the next image, or the damage instead of it; `nil` at the trailer.
    mutating func nextImage() throws(GIFByteReader.EndOfData) -> Result<GIFImage, TintypeError>? {
        while true {
            guard !isAtMissingTrailer else {
                lacksTrailer = true
                return nil
            }
            skippedBlocks += 1
            let hasTooMany = skippedBlocks > Self.maximumSkippedBlocks
            switch try bytes.readByte() {
            case 0x21 where !hasTooMany: try readExtension()
            case 0x2C:
                imageCount += 1
                skippedBlocks = 0
                return .success(try readImage())
            case 0x3B: return nil
            case let byte where tolerance == .minor && (imageCount > 0 || (byte == 0 && !hasTooMany)):
                hasStrayBytes = true
                // Programs write zeros between blocks. Other bytes end the animation, as in browsers.
                if byte != 0 || hasTooMany { return nil }
            default: return .failure(.damagedGIF("unknown block"))
            }
        }
    }

    /// Whether a whole file ends after a complete block. Pillow and libvips show what is there.
    private var isAtMissingTrailer: Bool {
        isComplete && tolerance == .minor && imageCount > 0 && bytes.offset == bytes.bytes.count
    }

    /// The number of extensions and zeros after which an image must follow. While a file arrives, all its blocks are
    /// read again for each preview, so a file without images must fail early.
    private static let maximumSkippedBlocks = 4096

    /// The damage that was tolerated so far.
    ///
    /// - Parameter canvas: The size of the canvas with the first image.
    func warnings(canvas: PixelSize) -> [DamageWarning] {
        (hasStrayBytes ? [.strayBytes] : []) + (canvas == canvasSize ? [] : [.smallCanvas])
            + (lacksTrailer ? [.missingEnd] : [])
    }

    // MARK: Images

    private mutating func readImage() throws(GIFByteReader.EndOfData) -> GIFImage {
        let start = bytes.offset - 1
        let (x, y) = (try bytes.readUInt16(), try bytes.readUInt16())
        let size = PixelSize(width: try bytes.readUInt16(), height: try bytes.readUInt16())
        let localPalette = try Self.readPalette(bytes.readByte(), &bytes)
        let codeSize = Int(try bytes.readByte())
        do throws(GIFByteReader.EndOfData) {
            try bytes.skipSubBlocks()
        } catch {
            guard acceptsTruncatedImage else { throw error }
            bytes.skipToEnd()
        }
        let palette = (localPalette ?? globalPalette).map(GIFPalette.colors) ?? .grey(bitCount: min(codeSize, 8))
        defer { control = GIFGraphicControl() }
        let hasAlpha = control.transparentIndex != nil || palette.count < 1 << min(codeSize, 8)
        let frame = AnimationFrame(
            rect: PixelRect(x: x, y: y, size: size), duration: control.duration, disposal: control.disposal,
            hasAlpha: hasAlpha)
        return GIFImage(
            frame: frame, range: start..<bytes.offset, palette: palette, transparentIndex: control.transparentIndex)
    }

    private static func readPalette(
        _ flags: UInt8, _ bytes: inout GIFByteReader
    ) throws(GIFByteReader.EndOfData) -> Range<Int>? {
        flags & 0x80 == 0 ? nil : try bytes.skip(3 << Int(flags & 7 + 1))
    }

    // MARK: Extensions

    private mutating func readExtension() throws(GIFByteReader.EndOfData) {
        switch try bytes.readByte() {
        case 0xF9: try readGraphicControl()
        case 0xFF: try readApplication()
        default: break
        }
        try bytes.skipSubBlocks()
    }

    private mutating func readGraphicControl() throws(GIFByteReader.EndOfData) {
        guard let block = try bytes.readSubBlock() else { return bytes.stepBack() }
        guard block.count >= 4 else { return }
        let data = UnsafeRawBufferPointer(rebasing: bytes.bytes[block])
        control = GIFGraphicControl(data[0], delay: Int(data[1]) | Int(data[2]) << 8, transparentIndex: data[3])
    }

    /// Reads the Netscape block: the number of repetitions, so one less than the number of plays, as WebKit, Blink and
    /// Gecko interpret it; 0 is forever.
    private mutating func readApplication() throws(GIFByteReader.EndOfData) {
        guard let name = try bytes.readSubBlock() else { return bytes.stepBack() }
        guard Self.loopingApplications.contains(where: { bytes.bytes[name].elementsEqual($0.utf8) }) else { return }
        guard let block = try bytes.readSubBlock() else { return bytes.stepBack() }
        let data = UnsafeRawBufferPointer(rebasing: bytes.bytes[block])
        guard data.count >= 3, data[0] & 7 == 1 else { return }
        let repeats = Int(data[1]) | Int(data[2]) << 8
        playCount = repeats == 0 ? 0 : repeats + 1
    }

    private static let loopingApplications = ["NETSCAPE2.0", "ANIMEXTS1.0"]
}

/// One image of a GIF: its properties and its position in the file.
struct GIFImage {
    var frame: AnimationFrame
    /// The bytes from the image descriptor to the end of the image data.
    var range: Range<Int>
    var palette: GIFPalette
    var transparentIndex: UInt8?
}

/// The colours of an image.
enum GIFPalette {
    /// The bytes of a colour table in the file, local or global, three a colour.
    case colors(Range<Int>)
    /// If there is no table, each value is a grey level, 0 for black and 255 for white (Pillow, OpenCV).
    case grey(bitCount: Int)

    /// The number of colours.
    var count: Int {
        switch self {
        case .colors(let range): range.count / 3
        case .grey(let bitCount): 1 << bitCount
        }
    }

    /// Returns RGBA for each of the 256 values of a pixel. The transparent index, and as in browsers all values beyond
    /// the palette, are transparent.
    ///
    /// - Parameter file: The bytes in which the table is.
    func rgba(in file: UnsafeRawBufferPointer, transparentIndex: UInt8?) -> [UInt8] {
        var colors = [UInt8](repeating: 0, count: 256 * PixelBuffer.bytesPerPixel)
        for index in 0..<min(count, 256) where transparentIndex.map(Int.init) != index {
            for channel in 0..<3 { colors[4 * index + channel] = level(index, channel, file) }
            colors[4 * index + 3] = 255
        }
        return colors
    }

    private func level(_ index: Int, _ channel: Int, _ file: UnsafeRawBufferPointer) -> UInt8 {
        switch self {
        case .colors(let range): file[range.lowerBound + 3 * index + channel]
        case .grey: UInt8(index)
        }
    }
}

extension PixelSize {
    /// Returns the canvas of an animation, enlarged to its first image, as browsers do.
    func enlarged(toShow first: PixelRect) -> PixelSize {
        PixelSize(width: max(width, first.x + first.size.width), height: max(height, first.y + first.size.height))
    }
}

/// A graphic control extension, which applies to the image after it (GIF89a, 23).
struct GIFGraphicControl {
    /// In seconds.
    var duration = 0.0
    var disposal = AnimationFrame.Disposal.keep
    var transparentIndex: UInt8?

    init() {}

    /// - Parameter delay: In hundredths of a second.
    init(_ flags: UInt8, delay: Int, transparentIndex: UInt8) {
        duration = Double(delay) / 100
        disposal = Self.disposal(flags >> 2 & 7)
        self.transparentIndex = flags & 1 == 1 ? transparentIndex : nil
    }

    /// Old programs wrote the undefined value 4 for 3, and browsers accept it.
    private static func disposal(_ stored: UInt8) -> AnimationFrame.Disposal {
        switch stored {
        case 2: .background
        case 3, 4: .previous
        default: .keep
        }
    }
}

/// Reads the bytes of a GIF or of its beginning in order. Numbers are little-endian.
struct GIFByteReader {
    /// No bytes are left.
    struct EndOfData: Error {}

    let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func readByte() throws(EndOfData) -> UInt8 {
        bytes[try skip(1).lowerBound]
    }

    mutating func readUInt16() throws(EndOfData) -> Int {
        let low = try readByte()
        return Int(low) | Int(try readByte()) << 8
    }

    /// Skips `count` bytes and returns their range.
    @discardableResult
    mutating func skip(_ count: Int) throws(EndOfData) -> Range<Int> {
        guard count <= bytes.count - offset else { throw EndOfData() }
        defer { offset += count }
        return offset..<offset + count
    }

    /// Skips a data sub-block and returns the range of its data (GIF89a, 15); `nil` for the block terminator.
    mutating func readSubBlock() throws(EndOfData) -> Range<Int>? {
        let count = Int(try readByte())
        return count == 0 ? nil : try skip(count)
    }

    /// Skips all sub-blocks up to and including the block terminator.
    mutating func skipSubBlocks() throws(EndOfData) {
        while try readSubBlock() != nil {}
    }

    mutating func skipToEnd() {
        offset = bytes.count
    }

    /// Moves back by one byte, so that it is read again.
    mutating func stepBack() {
        offset = max(0, offset - 1)
    }
}
