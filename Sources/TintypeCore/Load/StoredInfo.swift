package import Foundation

/// What an entry remembers of the picture that its pixels were made of, in its metadata: a few bytes, since they are read
/// with every hit on disk.
///
/// They are: version, 1 · flags · orientation · bytes of the format's name · the name · width, height, frames, plays ·
/// when it was received · density across and down, if there is one · durations. Numbers are of 8 bytes and little-endian.
package struct StoredInfo: Equatable {
    package var info: ImageInfo
    /// See ``Image/received``.
    package var received: Date?

    package init(_ image: Image) {
        info = image.info
        received = image.received
    }

    /// The pixels of the rendition with what is remembered.
    package func applied(to pixels: PixelBuffer, scale: Double) -> Image {
        Image(pixels: pixels, info: info, scale: scale, received: received)
    }

    private static let version: UInt8 = 1
    private static let hasAlpha: UInt8 = 1
    private static let isReceived: UInt8 = 2
    private static let hasDensity: UInt8 = 4
}

// MARK: - As bytes

extension StoredInfo {
    package var encoded: Data {
        let name = Array(info.format.rawValue.utf8.prefix(Int(UInt8.max)))
        let flags =
            (info.hasAlpha ? Self.hasAlpha : 0) | (received == nil ? 0 : Self.isReceived)
            | (info.density == nil ? 0 : Self.hasDensity)
        var data = Data([Self.version, flags, UInt8(info.orientation.rawValue), UInt8(name.count)] + name)
        for number in [info.size.width, info.size.height, info.frameCount, info.loopCount] {
            data.append(number: UInt64(bitPattern: Int64(number)))
        }
        data.append(number: (received?.timeIntervalSinceReferenceDate ?? 0).bitPattern)
        if let density = info.density {
            data.append(number: density.across.bitPattern)
            data.append(number: density.down.bitPattern)
        }
        for duration in info.durations { data.append(number: duration.bitPattern) }
        return data
    }

    /// `nil` for what was not made by ``encoded``.
    package init?(decoding data: Data) {
        let head = Array(data.prefix(4))
        guard head.count == 4, head[0] == Self.version, let orientation = Orientation(rawValue: Int(head[2]))
        else { return nil }
        let name = data.dropFirst(4).prefix(Int(head[3]))
        let numbers = data.dropFirst(4 + name.count).numbers
        let fixed = head[1] & Self.hasDensity == 0 ? 5 : 7
        guard name.count == Int(head[3]), let numbers, numbers.count >= fixed else { return nil }
        let counts = numbers.prefix(4).map { Int(clamping: $0) }
        // What is larger was not made here either, and its area would have no number.
        guard counts.allSatisfy({ $0 <= Int(Int32.max) }) else { return nil }
        info = ImageInfo(
            format: ImageFormat(rawValue: String(decoding: name, as: UTF8.self)),
            size: PixelSize(width: counts[0], height: counts[1]), orientation: orientation,
            hasAlpha: head[1] & Self.hasAlpha != 0, frameCount: counts[2], loopCount: counts[3],
            durations: numbers.dropFirst(fixed).map(Double.init(bitPattern:)))
        if fixed == 7 {
            info.density = PixelDensity(
                across: Double(bitPattern: numbers[5]), down: Double(bitPattern: numbers[6]))
        }
        received =
            head[1] & Self.isReceived == 0
            ? nil : Date(timeIntervalSinceReferenceDate: Double(bitPattern: numbers[4]))
    }
}

extension Data {
    fileprivate mutating func append(number: UInt64) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// All of it as numbers; `nil` when it is not whole ones.
    fileprivate var numbers: [UInt64]? {
        guard count % 8 == 0 else { return nil }
        return withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 8).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }
}
