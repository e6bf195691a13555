import CLibAVIF
import TintypeCore

extension TintypeError {
    /// - Parameters:
    ///   - result: not `AVIF_RESULT_OK`.
    ///   - reason: libavif's own words. They alone tell limits from damage.
    init(_ result: avifResult, _ reason: String) {
        switch result {
        case AVIF_RESULT_OUT_OF_MEMORY: self.init(.outOfMemory, stage: .decode, "no memory to decode an AVIF")
        case _ where reason.contains("imageCountLimit"): self = .exceeded(.frames, "an AVIF of too many frames")
        case _ where reason.contains("Limit") || reason.contains("too large ["):
            self = .exceeded(.library, "an AVIF beyond the limits: \(reason)")
        default:
            let name = String(cString: avifResultToString(result))
            let detail = reason.isEmpty ? name : reason
            self.init(.undecodable, stage: .decode, "the AVIF is damaged or cut short: \(detail)")
        }
    }
}
