public import Foundation
public import TintypeCore

extension HEIFDecoder: SalvagingImageDecoder {
    /// The frames of a sequence that are whole, up to the first that is not. Of a still picture libheif shows all or nothing.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        try salvagedAnimation(bytes, context) { bytes, context throws(TintypeError) in
            guard let sequence = try Self.sequence(bytes, context.limits, keepsPart: true) else { return nil }
            return ArrivedFrames(info: sequence.info, decoder: try HEIFFrameDecoder(bytes, sequence, context.limits))
        }
    }
}
