import CTintypeJP2
import Foundation
package import TintypeCore

/// OpenJPEG, loaded at the first JPEG 2000.
package enum JPEG2000Library {
    /// The system's OpenJPEG, or the error of loading it.
    package static let standard = Result { () throws(TintypeError) in try load(files) }

    /// The names of the library, as dlopen(3) takes them.
    #if canImport(Darwin)
    package static let files = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)libopenjp2.7.dylib" }
    #else
    package static let files = ["libopenjp2.so.7"]
    #endif

    /// Loads the first library of some file names.
    ///
    /// - Throws: `TintypeError.Code.noCoder` if all are missing or lack functions.
    static func load(_ names: [String]) throws(TintypeError) -> RuntimeLibrary {
        try RuntimeLibrary(
            names, functions: .init(tintype_jp2_function_names(), optional: tintype_jp2_optional_function_names()),
            .init("OpenJPEG, which decodes JPEG 2000", packages: "libopenjp2-7 on Debian, openjpeg2 on Fedora"))
    }
}

extension TintypeError {
    /// Creates the error for a status other than `ok`.
    init(_ status: tintype_jp2_status, _ reason: String) {
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a JPEG 2000")
        case .cancelled: self = .cancelled
        case .corrupt, .ok:
            self.init(.undecodable, stage: .decode, "the JPEG 2000 is damaged or truncated: \(reason.printable)")
        }
    }
}
