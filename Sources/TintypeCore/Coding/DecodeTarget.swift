/// What a decoder makes of a picture: which of its stored pixels, and how many of them.
///
/// The pixels are turned upright at the end, when they are fewest.
public struct DecodeTarget: Equatable, Sendable {
    /// The part of the stored picture, before it is turned upright.
    public let part: PixelRect
    /// The size to bring the part to, before it is turned upright.
    public let size: PixelSize

    /// - Throws: ``TintypeError/Code/transformFailed`` when the part that is asked for is outside of the picture.
    public init(_ info: ImageInfo, _ options: DecodeOptions) throws(TintypeError) {
        let options = try options.resolved(for: info)
        let whole = PixelRect(x: 0, y: 0, size: info.size)
        guard let shown = (options.crop ?? whole).clipped(to: info.size) else {
            throw .transformFailed("nothing of a picture of \(info.size) lies in crop(\(options.crop ?? whole))")
        }
        part = info.orientation.stored(shown, in: info.size)
        size = info.orientation.displayed(options.size.target(for: shown.size))
    }

    /// All of a stored picture, at a size.
    package init(whole stored: PixelSize, size: PixelSize) {
        part = PixelRect(x: 0, y: 0, size: stored)
        self.size = size
    }

    /// Whether all of a stored picture is wanted, pixel by pixel.
    public func isAll(of stored: PixelSize) -> Bool { part.size == stored && size == stored }
}
