import CLibDE265
import TintypeCore

/// libde265, loaded at the first HEIC sequence.
package enum HEVCLibrary {
    /// The names of the library, as dlopen(3) takes them.
    package static let files = ["libde265.so.0"]

    /// Loads the library, unless it is loaded. Call it before any other function of the library.
    ///
    /// - Throws: ``TintypeError/Code/noCoder``.
    static func load() throws(TintypeError) {
        try loaded.get()
    }

    #if os(Linux)
    private static let loaded = Result { () throws(TintypeError) in
        let library = try RuntimeLibrary(
            files, functions: .init(tintype_de265_names()),
            .init("libde265, which decodes sequences of HEIC", packages: "libde265-0 on Debian, libde265 on Fedora"))
        tintype_de265_connect(UnsafeRawPointer(library.functions))
    }
    #else
    // Linked.
    private static let loaded = Result<Void, TintypeError>.success(())
    #endif
}
