public import Foundation
public import TintypeCore

extension BMPDecoder: SalvagingImageDecoder {
    /// The rows that there are: of most files the lower ones, which are stored first.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        try decoded(bytes, context, keepsPart: true)
    }
}
