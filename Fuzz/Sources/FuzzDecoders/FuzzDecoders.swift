import Foundation

@testable import TintypeAVIF
@testable import TintypeBMP
@testable import TintypeCore
@testable import TintypeEXR
@testable import TintypeGIF
@testable import TintypeHEIF
@testable import TintypeICO
@testable import TintypeJPEG
@testable import TintypeJPEG2000
@testable import TintypeJXL
@testable import TintypePDF
@testable import TintypePNG
@testable import TintypePNM
@testable import TintypeRAW
@testable import TintypeSVG
@testable import TintypeTGA
@testable import TintypeTIFF
@testable import TintypeVideo
@testable import TintypeWebP

/// The target that `TINTYPE_FUZZ` in the environment names: a format, `icc`, `metadata`, `sniffer` or `convert`.
private let target = FuzzTarget(name: ProcessInfo.processInfo.environment["TINTYPE_FUZZ"] ?? "")

/// The function that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else {
        print("TINTYPE_FUZZ must name one of these targets: \(FuzzTarget.allNames.joined(separator: " "))")
        exit(2)
    }
    target.run(start.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}

/// The code under test: the decoder of a format, colour profiles, metadata, the sniffer with all headers, or a whole
/// conversion.
enum FuzzTarget: Sendable {
    case sniffer
    case profile(ProfileRun)
    case metadata
    case decoder(any ImageDecoder)
    case convert

    init?(name: String) {
        if name == "sniffer" {
            self = .sniffer
        } else if name == "convert" {
            self = .convert
        } else if name == "metadata" {
            self = .metadata
        } else if name == "icc", let run = try? ProfileRun() {
            self = .profile(run)
        } else if let decoder = Self.decoders[name] ?? Self.plugins[name] {
            self = .decoder(decoder)
        } else {
            return nil
        }
    }

    /// The names that `TINTYPE_FUZZ` accepts.
    static var allNames: [String] {
        ["sniffer", "icc", "metadata", "convert"]
            + decoders.merging(plugins) { first, _ in first }.keys.sorted()
    }

    /// The decoders by the file extension of their seed fixtures.
    private static let decoders: [String: any ImageDecoder] = [
        "avif": AVIFDecoder(), "bmp": BMPDecoder(), "gif": GIFDecoder(), "heic": HEIFDecoder(), "ico": ICODecoder(),
        "jpg": JPEGDecoder(), "jxl": JXLDecoder(), "png": PNGDecoder(), "svg": SVGDecoder(), "tiff": TIFFDecoder(),
        "webp": WebPDecoder(),
    ]

    /// The decoders that programs add, over libraries that do not bound what an image costs.
    private static let plugins: [String: any ImageDecoder] = [
        "exr": EXRDecoder(), "jp2": JPEG2000Decoder(), "pdf": PDFDecoder(), "pnm": PNMDecoder(), "raw": RAWDecoder(),
        "tga": TGADecoder(), "mp4": VideoDecoder(), "webm": VideoDecoder(),
    ]

    /// A decoder of every format that is always there.
    static var allDecoders: [any ImageDecoder] { Array(decoders.values) }

    func run(_ bytes: Data) {
        switch self {
        case .convert: ConvertRun(bytes).run()
        case .metadata: MetadataRun(bytes).run()
        case .sniffer: Self.sniff(bytes)
        case .profile(let run): run.run(bytes)
        case .decoder(let decoder):
            DecoderRun(decoder, bytes).run()
            if decoder is PNGDecoder { DecoderRun(decoder, PNGRepair.repaired(bytes)).run() }
        }
    }

    /// Detects the format, and reads the header with every decoder: a request may name any of them.
    private static func sniff(_ bytes: Data) {
        _ = try? all.decoder(for: bytes)
        for decoder in decoders.values { HeaderRun(decoder, bytes).run() }
    }

    private static let all = ImageCoderRegistry(decoders: allDecoders)
}
