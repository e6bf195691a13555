package import Foundation

/// The metadata of a stored rendition: properties of its original image. It is short, because every disk hit reads it.
///
/// The layout is:
///
/// | bytes | content |
/// | --- | --- |
/// | 1 | version, 1 |
/// | 1 | flags: 1 alpha, 2 date of receipt known, 4 density known, 8 vector image, 16 warnings, 32 exact size, 64 range |
/// | 1 | orientation, as in Exif |
/// | 1 | length of the format's name |
/// | 0–255 | the format's name, in UTF-8 |
/// | 4 × 8 | width and height in pixels, number of frames, number of plays |
/// | 8 | date of receipt, in seconds since 2001 (floating point); 0 if it is unknown |
/// | 8 | the warnings, each as a bit, only if there are any |
/// | 2 × 8 | horizontal and vertical density (floating point), only if it is known |
/// | 2 × 8 | exact width and height of a vector image (floating point), only if it is known |
/// | 8 | bits per channel, plus 256 for a high range, only if these are not 8 bits of the standard range |
/// | 8 each | duration of each frame, in seconds (floating point) |
///
/// The flags, the format and the warnings are those of the original. Numbers of 8 bytes are little-endian.
package struct StoredInfo: Equatable {
    /// The information in the header of the original.
    package var info: ImageInfo
    /// See ``Image/received``.
    package var received: Date?

    /// Creates the metadata of an image.
    package init(_ image: Image) {
        info = image.info
        received = image.received
    }

    /// Returns the image of a rendition from its pixels and this metadata.
    ///
    /// - Parameters:
    ///   - pixels: The pixels of the rendition.
    ///   - scale: The scale of the image, in pixels per point.
    ///   - expires: When the entry expires, and the image with it.
    package func applied(to pixels: PixelBuffer, scale: Double, expires: Date?) -> Image {
        Image(pixels: pixels, info: info, scale: scale, received: received, expires: expires)
    }

    /// Returns the image of a rendition from its decoded entry, with its frames if it is an animation.
    ///
    /// - Parameter expires: When the entry expires, and the image with it.
    func applied(to decoded: Image, expires: Date?) -> Image {
        Image(
            pixels: decoded.pixels, info: info, scale: decoded.scale, received: received, expires: expires,
            animation: decoded.animation)
    }

    private static let version: UInt8 = 1
    private static let hasAlpha: UInt8 = 1
    private static let isReceived: UInt8 = 2
    private static let hasDensity: UInt8 = 4
    private static let isVector: UInt8 = 8
    private static let hasWarnings: UInt8 = 16
    private static let hasDrawing: UInt8 = 32
    private static let hasRange: UInt8 = 64

    /// The number for the bits per channel and the range of the original.
    private var range: UInt64 { UInt64(UInt8(clamping: info.bitDepth)) | (info.isHighRange ? 256 : 0) }
    /// That of most images, which is not stored.
    private static let standardRange: UInt64 = 8
}

// MARK: - Encoding

extension StoredInfo {
    /// The metadata as bytes, in the layout above.
    package var encoded: Data {
        let name = Array(info.format.rawValue.utf8.prefix(Int(UInt8.max)))
        let flags =
            (info.hasAlpha ? Self.hasAlpha : 0) | (received == nil ? 0 : Self.isReceived)
            | (info.density == nil ? 0 : Self.hasDensity) | (info.format.isVector ? Self.isVector : 0)
            | (info.warnings.isEmpty ? 0 : Self.hasWarnings) | (info.drawing == nil ? 0 : Self.hasDrawing)
            | (range == Self.standardRange ? 0 : Self.hasRange)
        var data = Data([Self.version, flags, UInt8(info.orientation.rawValue), UInt8(name.count)] + name)
        for number in [info.size.width, info.size.height, info.frameCount, info.loopCount] {
            data.append(number: UInt64(bitPattern: Int64(number)))
        }
        data.append(number: (received?.timeIntervalSinceReferenceDate ?? 0).bitPattern)
        if !info.warnings.isEmpty { data.append(number: info.warnings.reduce(0) { $0 | 1 << UInt64($1.rawValue) }) }
        if let density = info.density {
            data.append(number: density.across.bitPattern)
            data.append(number: density.down.bitPattern)
        }
        if let drawing = info.drawing {
            data.append(number: drawing.width.bitPattern)
            data.append(number: drawing.height.bitPattern)
        }
        if range != Self.standardRange { data.append(number: range) }
        for duration in info.durations { data.append(number: duration.bitPattern) }
        return data
    }

    /// Decodes metadata. Returns `nil` if ``encoded`` cannot have produced the bytes.
    package init?(decoding data: Data) {
        let head = Array(data.prefix(4))
        guard head.count == 4, head[0] == Self.version, let orientation = Orientation(rawValue: Int(head[2]))
        else { return nil }
        let name = data.dropFirst(4).prefix(Int(head[3]))
        let numbers = data.dropFirst(4 + name.count).numbers
        let warningCount = head[1] & Self.hasWarnings == 0 ? 0 : 1
        let densityEnd = 5 + warningCount + (head[1] & Self.hasDensity == 0 ? 0 : 2)
        let drawingEnd = densityEnd + (head[1] & Self.hasDrawing == 0 ? 0 : 2)
        let fixed = drawingEnd + (head[1] & Self.hasRange == 0 ? 0 : 1)
        guard name.count == Int(head[3]), let numbers, numbers.count >= fixed else { return nil }
        let counts = numbers.prefix(4).map { Int(clamping: $0) }
        // No image is larger, and the area of a larger one could overflow.
        guard counts.allSatisfy({ $0 <= Int(Int32.max) }) else { return nil }
        info = ImageInfo(
            format: Self.format(named: String(decoding: name, as: UTF8.self), isVector: head[1] & Self.isVector != 0),
            size: PixelSize(width: counts[0], height: counts[1]), orientation: orientation,
            hasAlpha: head[1] & Self.hasAlpha != 0, frameCount: counts[2], loopCount: counts[3],
            durations: numbers.dropFirst(fixed).map(Double.init(bitPattern:)))
        if warningCount > 0 {
            info.warnings = DamageWarning.allCases.filter { numbers[5] >> UInt64($0.rawValue) & 1 == 1 }
        }
        if head[1] & Self.hasDensity != 0 {
            info.density = PixelDensity(
                across: Double(bitPattern: numbers[densityEnd - 2]), down: Double(bitPattern: numbers[densityEnd - 1]))
        }
        if fixed > drawingEnd {
            info.bitDepth = Int(numbers[drawingEnd] & 255)
            info.isHighRange = numbers[drawingEnd] & 256 != 0
        }
        if drawingEnd > densityEnd {
            info.drawing = DrawingSize(
                width: Double(bitPattern: numbers[densityEnd]), height: Double(bitPattern: numbers[densityEnd + 1]))
        }
        received =
            head[1] & Self.isReceived == 0
            ? nil : Date(timeIntervalSinceReferenceDate: Double(bitPattern: numbers[4]))
    }
}

extension StoredInfo {
    /// The format with a name. Only its coder knows the other properties of a third party's format.
    private static func format(named name: String, isVector: Bool) -> ImageFormat {
        let format = ImageFormat(rawValue: name)
        guard isVector, !format.isVector else { return format }
        return ImageFormat(rawValue: name, mediaType: format.mediaType, isVector: true)
    }
}

extension Data {
    fileprivate mutating func append(number: UInt64) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// The bytes as little-endian integers of 8 bytes; `nil` if their count is not a multiple of 8.
    fileprivate var numbers: [UInt64]? {
        guard count % 8 == 0 else { return nil }
        return withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 8).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }
}
