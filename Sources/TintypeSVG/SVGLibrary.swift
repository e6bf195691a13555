import CTintypeSVG
import Foundation
import TintypeCore

/// librsvg, loaded at the first SVG and never unloaded. With its dependencies it takes 7 MB, which other images do not
/// need.
///
/// `@unchecked Sendable` because the loaded library is never changed or freed.
struct SVGLibrary: @unchecked Sendable {
    let library: OpaquePointer

    /// The system's librsvg, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in
        // The error of the last name stands for all.
        for name in names.dropLast() { if let library = try? SVGLibrary(named: name) { return library } }
        return try SVGLibrary(named: names[names.count - 1])
    }

    #if canImport(Darwin)
    /// Homebrew's folders are not in the search path.
    private static let names = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)librsvg-2.2.dylib" }
    #else
    private static let names = ["librsvg-2.so.2"]
    #endif

    /// Loads the library.
    ///
    /// - Parameter name: The file name, as dlopen(3) takes it.
    /// - Throws: ``TintypeError/Code/noCoder`` if it is missing or lacks functions, ``TintypeError/Code/outOfMemory``.
    init(named name: String) throws(TintypeError) {
        var library: OpaquePointer?
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = tintype_svg_load(name, &library, &message, message.count)
        guard status == .ok, let library else {
            throw Self.error(status, message)
        }
        self.library = library
    }

    /// Parses a document.
    ///
    /// - Returns: A `tintype_svg_document`, which the caller closes.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/outOfMemory``.
    func open(_ bytes: Data) throws(TintypeError) -> OpaquePointer {
        var document: OpaquePointer?
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_svg_open(library, $0, raw.count, &document, &message, message.count)
            }
        }
        guard status == .ok, let document else { throw Self.error(status, message) }
        return document
    }

    private static let messageSize = 200

    private static func error(_ status: tintype_svg_status?, _ message: [CChar]) -> TintypeError {
        let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return switch status {
        case .unavailable:
            TintypeError(.noCoder, stage: .decode, "librsvg, which draws SVG, cannot be loaded: \(reason)")
        case .memory: TintypeError(.outOfMemory, stage: .decode, "no memory to read an SVG")
        case .panic: .panickedSVG
        default: TintypeError(.undecodable, stage: .decode, "the SVG is damaged: \(reason)")
        }
    }
}

extension TintypeError {
    /// An assertion of librsvg failed.
    static let panickedSVG = TintypeError(
        .undecodable, stage: .decode, "the SVG made librsvg fail with an internal error")
}
