import Foundation
import TintypeAVIF
import TintypeBMP
import TintypeCore
import TintypeGIF
import TintypeHEIF
import TintypeICO
import TintypeJPEG
import TintypeJXL
import TintypePNG
import TintypeSVG
import TintypeTIFF
import TintypeWebP

/// What libFuzzer calls. `TINTYPE_FUZZ` in the environment names the target: a format, or `sniffer`.
private let target = FuzzTarget(name: ProcessInfo.processInfo.environment["TINTYPE_FUZZ"] ?? "")

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else {
        print("TINTYPE_FUZZ names no target: \(FuzzTarget.allNames.joined(separator: " "))")
        exit(2)
    }
    target.run(start.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}

/// One thing that is given bytes of any kind: the decoder of a format, colour profiles, or the sniffer and all headers.
enum FuzzTarget: Sendable {
    case sniffer
    case profile(ProfileRun)
    case decoder(any ImageDecoder)

    init?(name: String) {
        if name == "sniffer" {
            self = .sniffer
        } else if name == "icc", let run = try? ProfileRun() {
            self = .profile(run)
        } else if let decoder = Self.decoders[name] {
            self = .decoder(decoder)
        } else {
            return nil
        }
    }

    static var allNames: [String] { ["sniffer", "icc"] + decoders.keys.sorted() }

    /// By the endings of the fixtures that they are seeded with.
    private static let decoders: [String: any ImageDecoder] = [
        "avif": AVIFDecoder(), "bmp": BMPDecoder(), "gif": GIFDecoder(), "heic": HEIFDecoder(), "ico": ICODecoder(),
        "jpg": JPEGDecoder(), "jxl": JXLDecoder(), "png": PNGDecoder(), "svg": SVGDecoder(), "tiff": TIFFDecoder(),
        "webp": WebPDecoder(),
    ]

    func run(_ bytes: Data) {
        switch self {
        case .sniffer: Self.sniff(bytes)
        case .profile(let run): run.run(bytes)
        case .decoder(let decoder):
            DecoderRun(decoder, bytes).run()
            if decoder is PNGDecoder { DecoderRun(decoder, PNGRepair.repaired(bytes)).run() }
        }
    }

    /// Also what each decoder tells of a header that is not its own: a request may name any decoder.
    private static func sniff(_ bytes: Data) {
        _ = try? all.decoder(for: bytes)
        for decoder in decoders.values { HeaderRun(decoder, bytes).run() }
    }

    private static let all = ImageCoderRegistry(decoders: Array(decoders.values))
}
