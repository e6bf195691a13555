public import Foundation
public import TintypeCore

extension GIFDecoder: SalvagingImageDecoder {
    /// The images before the damage, and the rows that there are of the one that it is in.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        try salvagedAnimation(bytes, context) { bytes, context throws(TintypeError) in
            let layout = try layout(bytes, context) { raw throws(TintypeError) in
                try GIFLayout(arrived: raw, maximumImages: context.limits.frames, keepsCutImage: true)
            }
            return layout.map { layout in
                ArrivedFrames(
                    info: GIFSummary(layout).info(playCount: layout.playCount),
                    decoder: GIFFrameDecoder(bytes, layout, toleratesDamage: true))
            }
        }
    }
}
