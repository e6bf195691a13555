import Foundation
import Tintype
import TintypeJPEG2000

/// A system library behind a format, and the function with which it states its version.
///
/// The functions are looked up by name at run time: the codecs link the libraries or load them, and nothing else here
/// needs their headers.
struct LibraryVersion: Sendable {
    /// How a library expresses its version.
    private enum Form: Sendable {
        /// A string, which may have further lines.
        case text
        /// A byte for each number, as in 0x010203.
        case bytes
        /// Three digits for each number, as in 1002003.
        case thousands
        /// A number and three digits, of which the last one is 0, as in 2140 for 2.14.
        case hundreds
        /// Three numbers in variables, whose names end with `major`, `minor` and `micro`.
        case variables
    }

    let name: String
    private let symbol: String
    private let form: Form
    /// The file names of a library that is loaded when its first image is decoded; empty for linked ones.
    private var files: [String] = []

    /// The library of a format, or `nil` if Tintype decodes it itself, or if the library states no version at run time,
    /// like libjpeg-turbo and giflib.
    static func library(for format: ImageFormat) -> LibraryVersion? {
        switch format {
        case .png: LibraryVersion(name: "libpng", symbol: "png_get_libpng_ver", form: .text)
        case .webp: LibraryVersion(name: "libwebp", symbol: "WebPGetDecoderVersion", form: .bytes)
        case .avif: LibraryVersion(name: "libavif", symbol: "avifVersion", form: .text, files: AVIFLibrary.files)
        case .heic: LibraryVersion(name: "libheif", symbol: "heif_get_version", form: .text, files: HEIFLibrary.files)
        case .jxl:
            LibraryVersion(name: "libjxl", symbol: "JxlDecoderVersion", form: .thousands, files: JXLLibrary.files)
        case .tiff: LibraryVersion(name: "libtiff", symbol: "TIFFGetVersion", form: .text)
        case .svg:
            LibraryVersion(name: "librsvg", symbol: "rsvg_%_version", form: .variables, files: ["librsvg-2.so.2"])
        case .jpeg2000:
            LibraryVersion(name: "OpenJPEG", symbol: "opj_version", form: .text, files: JPEG2000Library.files)
        default: nil
        }
    }

    /// The libraries that do not belong to one format.
    static let others = [
        LibraryVersion(name: "lcms2", symbol: "cmsGetEncodedCMMversion", form: .hundreds),
        LibraryVersion(name: "libde265", symbol: "de265_get_version", form: .text, files: HEVCLibrary.files),
        LibraryVersion(name: "sqlite", symbol: "sqlite3_libversion", form: .text),
        LibraryVersion(name: "zlib", symbol: "zlibVersion", form: .text),
    ]

    /// The version, or `nil` if the library is not in the process.
    var version: String? {
        guard let library = open() else { return nil }
        defer { dlclose(library) }
        guard form != .variables else { return versionInVariables(of: library) }
        guard let function = dlsym(library, symbol) else { return nil }
        // Every function takes no argument, or one pointer that it does not use.
        guard form == .text else {
            let number = unsafeBitCast(function, to: (@convention(c) (OpaquePointer?) -> UInt32).self)(nil)
            return Self.text(number, form)
        }
        let text = unsafeBitCast(function, to: (@convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?).self)(nil)
        return text.map { Self.numbers(in: String(cString: $0)) }
    }

    /// Opens the first of the ``files`` that there is, and otherwise the program with the libraries that it links.
    private func open() -> UnsafeMutableRawPointer? {
        for file in files {
            if let library = dlopen(file, RTLD_NOW) { return library }
        }
        return dlopen(nil, RTLD_NOW)
    }

    private func versionInVariables(of library: UnsafeMutableRawPointer) -> String? {
        let numbers = ["major", "minor", "micro"].compactMap { part in
            dlsym(library, symbol.replacing("%", with: part))?.load(as: UInt32.self)
        }
        return numbers.count == 3 ? numbers.map(String.init).joined(separator: ".") : nil
    }

    /// Returns the first word that begins with a digit, such as `4.5.0` of `LIBTIFF, Version 4.5.0`.
    static func numbers(in text: String) -> String {
        let words = text.split { $0.isWhitespace || $0 == "," }
        return words.first { $0.first?.isNumber == true }.map(String.init) ?? text
    }

    private static func text(_ number: UInt32, _ form: Form) -> String {
        switch form {
        case .bytes: "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
        case .thousands: "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
        case .hundreds: "\(number / 1000).\(number % 1000 / 10)"
        case .text, .variables: "\(number)"
        }
    }
}
