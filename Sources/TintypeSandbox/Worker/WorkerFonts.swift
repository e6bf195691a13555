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
        return paths + linkedFonts(library)
    }

    private typealias GetFonts = @convention(c) (UnsafeRawPointer?, Int32) -> UnsafeRawPointer?
    private typealias GetText =
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<UnsafePointer<CChar>?>
        ) -> Int32

    /// Returns the fonts that are links, which Landlock judges by the files to which they lead.
    private static func linkedFonts(_ library: UnsafeMutableRawPointer) -> [String] {
        guard let fonts = dlsym(library, "FcConfigGetFonts"), let text = dlsym(library, "FcPatternGetString") else {
            return []
        }
        let (getFonts, getText) = (unsafeBitCast(fonts, to: GetFonts.self), unsafeBitCast(text, to: GetText.self))
        // An FcFontSet begins with the number of fonts, that of allocated places, and the address of the fonts.
        guard let set = getFonts(nil, 0),
            let patterns = set.load(fromByteOffset: 8, as: UnsafePointer<OpaquePointer>?.self)
        else { return [] }
        let count = Int(set.load(as: Int32.self))
        return UnsafeBufferPointer(start: patterns, count: count).compactMap { pattern -> String? in
            var path: UnsafePointer<CChar>?
            var info = stat()
            guard getText(pattern, "file", 0, &path) == 0, let path, lstat(path, &info) == 0,
                info.st_mode & S_IFMT == S_IFLNK
            else { return nil }
            return String(cString: path)
        }
    }
}
