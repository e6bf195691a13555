import Foundation

/// The files that drawing text reads: fonts, and the configuration and caches of fontconfig.
enum WorkerFonts {
    /// The usual places. fontconfig may name others.
    private static let usual = [
        "/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
        "/usr/share/poppler", "/usr/share/xml/fontconfig",
    ]

    private typealias List = UnsafeMutableRawPointer

    /// Loads the configuration of fontconfig, and returns the files and folders that it names.
    static func paths() -> [String] {
        guard let library = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_LOCAL),
            let initialize = dlsym(library, "FcInit"), let next = dlsym(library, "FcStrListNext"),
            let done = dlsym(library, "FcStrListDone")
        else { return usual }
        _ = unsafeBitCast(initialize, to: (@convention(c) () -> Int32).self)()
        let nextText = unsafeBitCast(next, to: (@convention(c) (List) -> UnsafePointer<CChar>?).self)
        let end = unsafeBitCast(done, to: (@convention(c) (List) -> Void).self)
        var paths = usual
        for name in ["FcConfigGetFontDirs", "FcConfigGetConfigFiles", "FcConfigGetCacheDirs"] {
            guard let function = dlsym(library, name),
                let list = unsafeBitCast(function, to: (@convention(c) (UnsafeRawPointer?) -> List?).self)(nil)
            else { continue }
            while let path = nextText(list) { paths.append(String(cString: path)) }
            end(list)
        }
        return paths
    }
}
