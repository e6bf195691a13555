import CTintypeSVG
import Foundation
import TintypeCore

/// librsvg, which is loaded when the first SVG comes, and then stays: with what comes with it, it takes 7 MB that other
/// pictures do not need.
///
/// `@unchecked Sendable` because what the pointer leads to is never changed nor given back.
struct SVGLibrary: @unchecked Sendable {
    let library: OpaquePointer

    /// The one that the system has, or why there is none.
    static let standard = Result { () throws(TintypeError) in
        // What is said of the last place is as good as what is said of another.
        for name in names.dropLast() { if let found = try? SVGLibrary(named: name) { return found } }
        return try SVGLibrary(named: names[names.count - 1])
    }

    #if canImport(Darwin)
    /// Homebrew's folders are none where libraries are looked for.
    private static let names = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)librsvg-2.2.dylib" }
    #else
    private static let names = ["librsvg-2.so.2"]
    #endif

    /// - Parameter name: of its file, as dlopen(3) finds it.
    /// - Throws: ``TintypeError/Code/noCoder`` where it is not there, or is another; ``TintypeError/Code/outOfMemory``.
    init(named name: String) throws(TintypeError) {
        var library: OpaquePointer?
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = tintype_svg_load(name, &library, &message, message.count)
        guard status == .ok, let library else {
            throw Self.error(status, message)
        }
        self.library = library
    }

    /// - Returns: a `tintype_svg_document`.
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
        case .unavailable: TintypeError(.noCoder, stage: .decode, "no librsvg to draw SVG: \(reason)")
        case .memory: TintypeError(.outOfMemory, stage: .decode, "no memory to read an SVG")
        default: TintypeError(.undecodable, stage: .decode, "the SVG is damaged: \(reason)")
        }
    }
}
