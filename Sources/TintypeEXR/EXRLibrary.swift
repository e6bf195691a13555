import CTintypeEXR
import Foundation
package import TintypeCore

/// OpenEXRCore, loaded at the first OpenEXR.
package enum EXRLibrary {
    /// The system's OpenEXRCore, or the error of loading it.
    package static let standard = Result { () throws(TintypeError) in try load(files) }

    /// The names of the library, as dlopen(3) takes them. Other minor versions have other types.
    #if canImport(Darwin)
    package static let files = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)libOpenEXRCore-3_1.30.dylib" }
    #else
    package static let files = ["libOpenEXRCore-3_1.so.30"]
    #endif

    /// Loads the first library of some file names.
    ///
    /// - Throws: `TintypeError.Code.noCoder` if all are missing or lack functions.
    static func load(_ names: [String]) throws(TintypeError) -> RuntimeLibrary {
        try RuntimeLibrary(
            names, functions: .init(tintype_exr_function_names()),
            .init(
                "OpenEXRCore 3.1, which decodes OpenEXR",
                packages: "libopenexr-3-1-30 on Debian, openexr-libs on Fedora"))
    }
}

extension TintypeError {
    /// Creates the error for a status other than `ok`.
    init(_ status: tintype_exr_status, _ reason: String) {
        let reason = reason.printable
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode an OpenEXR")
        case .unsupported:
            self.init(.undecodable, stage: .decode, "the OpenEXR uses an unsupported feature: \(reason)")
        case .corrupt, .ok:
            self.init(.undecodable, stage: .decode, "the OpenEXR is damaged or truncated: \(reason)")
        }
    }
}
