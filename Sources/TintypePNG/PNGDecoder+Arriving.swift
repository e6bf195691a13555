import CTintypePNG
import Foundation
import TintypeCore

extension PNGDecoder {
    /// A still one is shown row by row or pass by pass, an animation frame by frame.
    static func kind(of head: Data, _ context: DecodeContext) throws(TintypeError) -> IncrementalPicture.Kind {
        let reader = try PNGReader(context)
        let header = try head.withTypedBytes { raw throws(TintypeError) in try reader.open(raw, isComplete: false) }
        guard let header else { return .unknown }
        let info = ImageInfo(header)
        try context.limits.check(info)
        guard header.frame_count <= 1 else {
            return .animation(IncrementalAnimation(decoder: PNGDecoder(), context))
        }
        let converter = try converter(head, header, context.limits)
        return .still(try PNGPreviewReader(header, info, converter, context))
    }
}
