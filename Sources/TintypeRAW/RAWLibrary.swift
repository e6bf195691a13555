import CTintypeRAW
import Foundation
import TintypeCore

/// LibRaw, loaded at the first raw image.
enum RAWLibrary {
    /// The system's LibRaw, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in try load(names) }

    #if canImport(Darwin)
    /// Homebrew's folders are not in the search path.
    private static let names = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)libraw_r.dylib" }
    #else
    /// LibRaw 0.21 and 0.20, in the builds that several threads may use.
    private static let names = ["libraw_r.so.23", "libraw_r.so.20"]
    #endif

    /// Loads the first library of some file names.
    ///
    /// - Throws: `TintypeError.Code.noCoder` if all are missing or lack functions.
    static func load(_ names: [String]) throws(TintypeError) -> RuntimeLibrary {
        try RuntimeLibrary(
            names,
            functions: .init(tintype_raw_function_names(), optional: tintype_raw_optional_function_names()),
            .init(
                "LibRaw, which decodes raw images", packages: "libraw20 or libraw23 on Debian, LibRaw on Fedora"))
    }
}

extension TintypeError {
    /// Creates the error for a status other than `ok`.
    init(_ status: tintype_raw_status) {
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a raw image")
        case .cancelled: self = .cancelled
        case .tooBig: self = .exceeded(.library, "a raw image that is larger than LibRaw accepts")
        case .incompatible:
            self.init(
                .noCoder, stage: .decode, "the installed version of LibRaw is not supported; install 0.20 or 0.21")
        case .unsupported:
            self.init(
                .undecodable, stage: .decode, "LibRaw does not support the camera or the compression of the raw image")
        case .truncated: self.init(.undecodable, stage: .decode, "the raw image is truncated")
        case .corrupt, .noPreview, .ok: self.init(.undecodable, stage: .decode, "the raw image is damaged")
        }
    }
}
