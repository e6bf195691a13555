import Foundation

/// What a stored rendition remembers of the picture that it was made of, in the metadata of its entry.
struct StoredInfo: Codable {
    let format: String
    let width: Int
    let height: Int
    let orientation: Int
    let hasAlpha: Bool
    let frameCount: Int
    let loopCount: Int
    let durations: [Double]
    /// See ``Image/received``; in seconds since the reference date.
    let received: Date?

    init(_ image: Image) {
        let info = image.info
        format = info.format.rawValue
        width = info.size.width
        height = info.size.height
        orientation = info.orientation.rawValue
        hasAlpha = info.hasAlpha
        frameCount = info.frameCount
        loopCount = info.loopCount
        durations = info.durations
        received = image.received
    }

    init?(decoding data: Data) {
        guard let decoded = try? JSONDecoder().decode(StoredInfo.self, from: data) else { return nil }
        self = decoded
    }

    var encoded: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    /// The pixels of the rendition with what is remembered.
    func applied(to image: Image) -> Image {
        Image(pixels: image.pixels, info: info, scale: image.scale, received: received)
    }

    private var info: ImageInfo {
        ImageInfo(
            format: ImageFormat(rawValue: format), size: PixelSize(width: width, height: height),
            orientation: Orientation(rawValue: orientation) ?? .up, hasAlpha: hasAlpha, frameCount: frameCount,
            loopCount: loopCount, durations: durations)
    }
}
