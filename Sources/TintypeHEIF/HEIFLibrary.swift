import CLibHEIF
import TintypeCore

/// libheif, loaded at the first HEIC image.
package enum HEIFLibrary {
    /// The names of the library, as dlopen(3) takes them.
    package static let files = ["libheif.so.1"]

    /// Loads the library, unless it is loaded. Call it before any other function of the library.
    ///
    /// - Throws: ``TintypeError/Code/noCoder``.
    static func load() throws(TintypeError) {
        try loaded.get()
    }

    #if os(Linux)
    private static let loaded = Result { () throws(TintypeError) in
        let library = try RuntimeLibrary(
            files, functions: .init(tintype_heif_names()),
            .init("libheif, which decodes and encodes HEIC", packages: "libheif1 on Debian, libheif on Fedora"))
        tintype_heif_connect(UnsafeRawPointer(library.functions))
    }
    #else
    // Linked.
    private static let loaded = Result<Void, TintypeError>.success(())
    #endif
}
