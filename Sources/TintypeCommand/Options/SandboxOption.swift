public import ArgumentParser
public import Tintype
import TintypeEXR
import TintypeJPEG2000
import TintypePDF
import TintypePNM
import TintypeRAW
import TintypeTGA
import TintypeVideo

/// Which images the command decodes in worker processes.
struct SandboxOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Decode in worker processes, which the kernel restricts: no images, those in complex formats, or all.
            """, valueName: "images", visibility: .rare))
    var sandbox = SandboxPolicy.standard

    /// The coders for these images.
    var coders: ImageCoderRegistry {
        sandbox == .standard ? .command : .command.sandboxed(SandboxConfiguration(sandbox))
    }
}

extension SandboxPolicy: ExpressibleByArgument {}

extension ImageCoderRegistry {
    /// The coders of the command: those of Tintype, and those of the products for single formats, whose libraries only
    /// a worker loads.
    static let command = standard.adding(
        decoders: [
            TGADecoder(), EXRDecoder(), JPEG2000Decoder(), PNMDecoder(), PDFDecoder(), RAWDecoder(), VideoDecoder(),
        ]
    ).sandboxed()
}
