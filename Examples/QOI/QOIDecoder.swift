public import Foundation
public import TintypeCore

extension ImageFormat {
    /// The Quite OK Image format (qoiformat.org), which Tintype does not know.
    public static let qoi = ImageFormat(rawValue: "qoi", mediaType: "image/qoi", fileExtensions: ["qoi"])
}

/// Decodes QOI: a complete decoder for a format of one's own. Add it to the coders of a pipeline:
///
///     configuration.coders = .standard.adding(decoders: [QOIDecoder()])
public struct QOIDecoder: RecognizingImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// The QOI format.
    public var formats: Set<ImageFormat> { [.qoi] }

    /// Whether an image begins with the magic number.
    public func recognizes(_ head: Data) -> Bool { head.starts(with: "qoif".utf8) }

    /// Reads the size and the number of channels; `nil` if `bytes` end before.
    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let header = Array(bytes.prefix(QOIPixels.headerLength))
        guard header.count == QOIPixels.headerLength else {
            guard isComplete else { return nil }
            throw .truncatedQOI
        }
        func number(_ start: Int) -> Int { header[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        return ImageInfo(
            format: .qoi, size: PixelSize(width: number(4), height: number(8)), hasAlpha: header[12] == 4)
    }

    /// Decodes the image and scales it to the requested size.
    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let info = try info(of: bytes, isComplete: true) else { throw .truncatedQOI }
        // Before anything is allocated.
        try context.limits.check(info, byteCount: bytes.count)
        var writer = try PixelWriter(size: info.size)
        var pixels = QOIPixels(Array(bytes))
        for y in 0..<info.size.height {
            try context.checkCancelled()
            try writer.withRows(from: y) { rows throws(TintypeError) in
                for x in 0..<info.size.width {
                    guard let pixel = pixels.next() else { throw .truncatedQOI }
                    for channel in 0..<4 { rows[4 * x + channel] = pixel[channel] }
                }
            }
        }
        writer.premultiply(rows: info.size.height)
        let size = context.options.size.target(for: info.size)
        let scaled = try ResizeTransformer(to: size, mode: .stretch).transform(writer.finish())
        return Image(pixels: scaled, info: info, scale: context.options.scale ?? 1)
    }
}

extension TintypeError {
    fileprivate static let truncatedQOI = TintypeError(.undecodable, stage: .decode, "the QOI is truncated")
}

/// The pixels of a QOI in order, as straight RGBA.
struct QOIPixels {
    static let headerLength = 14
    private let bytes: [UInt8]
    private var offset = headerLength
    private var pixel = SIMD4<UInt8>(0, 0, 0, 255)
    private var seen = [SIMD4<UInt8>](repeating: .zero, count: 64)
    /// How often the last pixel is still repeated.
    private var run = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the next pixel; `nil` if the bytes end before it.
    mutating func next() -> SIMD4<UInt8>? {
        if run > 0 {
            run -= 1
            return pixel
        }
        guard let code = nextByte() else { return nil }
        switch (code, code >> 6) {
        case (0xFE, _), (0xFF, _):
            for channel in 0..<(code == 0xFF ? 4 : 3) {
                guard let byte = nextByte() else { return nil }
                pixel[channel] = byte
            }
        case (_, 0): pixel = seen[Int(code)]
        case (_, 1): add(code >> 4 & 3 &- 2, code >> 2 & 3 &- 2, code & 3 &- 2)
        case (_, 2):
            guard let more = nextByte() else { return nil }
            let green = code & 63 &- 32
            add(green &+ (more >> 4) &- 8, green, green &+ (more & 15) &- 8)
        default: run = Int(code & 63)
        }
        seen[Int((pixel &* SIMD4(3, 5, 7, 11)).wrappedSum() % 64)] = pixel
        return pixel
    }

    private mutating func add(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        pixel &+= SIMD4(red, green, blue, 0)
    }

    private mutating func nextByte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }
}
