import CLibJXL
import TintypeCore

/// libjxl, loaded at the first JPEG XL.
package enum JXLLibrary {
    /// The names of the library, as dlopen(3) takes them.
    package static let files = ["libjxl.so.\(JPEGXL_MAJOR_VERSION).\(JPEGXL_MINOR_VERSION)"]

    /// Loads the library, unless it is loaded. Call it before any other function of the library.
    ///
    /// - Throws: ``TintypeError/Code/noCoder``.
    static func load() throws(TintypeError) {
        try loaded.get()
    }

    #if os(Linux)
    private static let loaded = Result { () throws(TintypeError) in
        let library = try RuntimeLibrary(
            files, functions: .init(tintype_jxl_names()),
            .init("libjxl, which decodes and encodes JPEG XL", packages: "libjxl0.7 on Debian 12, libjxl on Fedora"))
        tintype_jxl_connect(UnsafeRawPointer(library.functions))
    }
    #else
    // Linked.
    private static let loaded = Result<Void, TintypeError>.success(())
    #endif
}
