import Tintype
package import TintypeCore
import TintypeEXR
import TintypeJPEG2000
import TintypePDF
import TintypePNM
import TintypeRAW
import TintypeTGA

extension ImageCoderRegistry {
    /// Returns the coders of the server, which decodes every image in worker processes.
    ///
    /// PDF and raw images are read only if they are named, because their libraries are large. Then no image is decoded
    /// where the kernel does not restrict workers completely: that fails with `TintypeError.Code.noWorker`.
    ///
    /// - Parameters:
    ///   - additional: The formats that are read besides the usual ones.
    ///   - isStrict: Whether the same holds without such formats.
    package static func server(
        additional: Set<AdditionalFormat> = [], isStrict: Bool = false
    ) -> ImageCoderRegistry {
        var sandbox = SandboxConfiguration(.all)
        sandbox.isStrict = isStrict || !additional.isEmpty
        let usual: [any ImageDecoder] = [TGADecoder(), EXRDecoder(), JPEG2000Decoder(), PNMDecoder()]
        let others = AdditionalFormat.allCases.filter(additional.contains).map(\.decoder)
        return standard.adding(decoders: usual + others).sandboxed(sandbox)
    }
}

/// A format that the server reads only if the operator says so.
package enum AdditionalFormat: String, CaseIterable, Sendable {
    case pdf
    case raw

    fileprivate var decoder: any ImageDecoder {
        switch self {
        case .pdf: PDFDecoder()
        case .raw: RAWDecoder()
        }
    }
}
