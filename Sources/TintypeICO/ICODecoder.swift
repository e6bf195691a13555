public import Foundation
import TintypeBMP
public import TintypeCore
import TintypePNG

/// Decodes ICO and CUR, Windows' icons and cursors: of the pictures that a file has, the smallest that has as many pixels
/// as are wanted.
///
/// What is told of a file is told of its largest picture.
public struct ICODecoder: ImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.ico] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let entry = try bytes.withTypedBytes { raw throws(TintypeError) in try ICODirectory(raw)?.largest }
        let info = try entry.flatMap { entry throws(TintypeError) in
            try ICOPicture(bytes, entry).info(isComplete: isComplete)
        }
        if info == nil && isComplete { throw .truncatedICO }
        return info
    }

    public func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let directory = try bytes.withTypedBytes { raw throws(TintypeError) in try ICODirectory(raw) }
        guard let directory, let info = try info(of: bytes, isComplete: true) else { throw .truncatedICO }
        try context.limits.check(info, byteCount: bytes.count)
        let wanted = context.options.size.target(for: info.size)
        guard directory.entries.allSatisfy({ $0.place.upperBound <= bytes.count }),
            let entry = directory.best(for: wanted)
        else { throw .truncatedICO }
        guard let pixels = try ICOPicture(bytes, entry).decoded(wanted, context) else { throw .truncatedICO }
        return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
    }
}
