import CTintypeCairo
import TintypeCore

/// cairo, loaded when the first closure draws.
enum CairoLibrary {
    /// The system's cairo, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in
        try RuntimeLibrary(
            files, functions: .init(tintype_cairo_function_names()),
            .init("cairo, which draws", packages: "libcairo2 on Debian, cairo on Fedora"))
    }

    #if canImport(Darwin)
    private static let files = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)libcairo.2.dylib" }
    #else
    private static let files = ["libcairo.so.2"]
    #endif
}
