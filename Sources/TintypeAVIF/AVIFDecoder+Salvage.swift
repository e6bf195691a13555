public import Foundation
public import TintypeCore

extension AVIFDecoder: SalvagingImageDecoder {
    /// The frames of a sequence that are whole, up to the first that is not. Of a still picture libavif shows all or nothing.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        try salvagedAnimation(bytes, context)
    }
}
