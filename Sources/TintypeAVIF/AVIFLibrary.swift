import CLibAVIF
import TintypeCore

/// libavif, loaded at the first AVIF.
package enum AVIFLibrary {
    /// The names of the library, as dlopen(3) takes them.
    package static let files = [TINTYPE_AVIF_FILE]

    /// Loads the library, unless it is loaded. Call it before any other function of the library.
    ///
    /// - Throws: ``TintypeError/Code/noCoder``.
    static func load() throws(TintypeError) {
        try loaded.get()
    }

    #if os(Linux)
    private static let loaded = Result { () throws(TintypeError) in
        let library = try RuntimeLibrary(
            files, functions: .init(tintype_avif_names()),
            .init("libavif, which decodes and encodes AVIF", packages: "libavif15 on Debian 12, libavif on Fedora"))
        tintype_avif_connect(UnsafeRawPointer(library.functions))
    }
    #else
    // Linked.
    private static let loaded = Result<Void, TintypeError>.success(())
    #endif
}
