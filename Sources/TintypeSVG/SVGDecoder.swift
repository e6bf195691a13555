public import Foundation
public import TintypeCore

/// Draws SVG (SVG 1.1, and what librsvg knows of SVG 2) at the size that is asked for.
///
/// Nothing outside the document is loaded, and no script runs. A size to fit into is filled even where it is larger than
/// the document's own: there are no pixels to run out of.
public struct SVGDecoder: ImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.svg] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return Self.info(try SVGDocument(bytes))
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        try context.checkCancelled()
        let document = try SVGDocument(bytes)
        let info = Self.info(document)
        let target = Self.target(context.options.size, for: info.size)
        try context.limits.check(ImageInfo(format: .svg, size: target))
        try context.checkCancelled()
        return Image(pixels: try document.drawn(target), info: info, scale: context.options.scale ?? 1)
    }

    private static func info(_ document: borrowing SVGDocument) -> ImageInfo {
        ImageInfo(format: .svg, size: document.size, hasAlpha: true)
    }

    static func target(_ size: DecodeOptions.Size, for own: PixelSize) -> PixelSize {
        guard case .fit(let box) = size, own.isPositive, box.width > 0 || box.height > 0 else {
            return size.target(for: own)
        }
        let scales = [(box.width, own.width), (box.height, own.height)].filter { $0.0 > 0 }
        return own.scaled(by: scales.map { Double($0.0) / Double($0.1) }.min() ?? 1)
    }
}
