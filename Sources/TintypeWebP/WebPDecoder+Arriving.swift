import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

extension WebPDecoder {
    /// A still one is shown row by row, an animation frame by frame.
    static func kind(of head: Data, _ context: DecodeContext) throws(TintypeError) -> IncrementalPicture.Kind {
        let header = try head.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return .unknown }
        if header.is_animated { return .animation(IncrementalAnimation(decoder: WebPDecoder(), context)) }
        // Which way is up is told after the pixels: better nothing than a picture that lies on its side.
        guard !header.has_exif else { return .hidden }
        let info = ImageInfo(header)
        try context.limits.check(info)
        guard let colors = try arrivedColors(head, context.limits) else {
            // One that never comes is waited for as long as one that may come.
            return head.count <= context.limits.profileBytes ? .unknown : .hidden
        }
        return .still(try WebPPreviewReader(info, ColorConverter(colors, .rgb), context))
    }
}
