import CTintypeSVG
import Foundation
import TintypeCore

/// librsvg, loaded at the first SVG. With its dependencies it takes 7 MB, which other images do not need.
enum SVGLibrary {
    /// The system's librsvg, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in try load(names) }

    #if canImport(Darwin)
    /// Homebrew's folders are not in the search path.
    private static let names = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)librsvg-2.2.dylib" }
    #else
    private static let names = ["librsvg-2.so.2"]
    #endif

    /// Loads the first library of some file names.
    ///
    /// - Throws: `TintypeError.Code.noCoder` if all are missing or lack functions.
    static func load(_ names: [String]) throws(TintypeError) -> RuntimeLibrary {
        try RuntimeLibrary(
            names, functions: .init(tintype_svg_function_names()),
            .init("librsvg, which draws SVG", packages: "librsvg2-2 on Debian, librsvg2 on Fedora"))
    }

    /// Parses a document.
    ///
    /// - Returns: A `tintype_svg_document`, which the caller closes.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, and the errors of ``load(_:)``.
    static func open(_ bytes: Data) throws(TintypeError) -> OpaquePointer {
        let library = try standard.get().functions
        var document: OpaquePointer?
        var message = [CChar](repeating: 0, count: messageSize)
        let status = bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_svg_open(library, $0, raw.count, &document, &message, message.count)
            }
        }
        guard status == .ok, let document else { throw error(status, message) }
        return document
    }

    private static let messageSize = 200

    private static func error(_ status: tintype_svg_status?, _ message: [CChar]) -> TintypeError {
        switch status {
        case .memory: TintypeError(.outOfMemory, stage: .decode, "not enough memory to read an SVG")
        default: TintypeError(.undecodable, stage: .decode, "the SVG is damaged: \(String(cText: message))")
        }
    }
}
