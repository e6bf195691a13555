import CTintypePDF
import Foundation
import TintypeCore

/// poppler-glib, loaded at the first PDF and never unloaded.
///
/// `@unchecked Sendable` because the loaded library is never changed or freed.
struct PDFLibrary: @unchecked Sendable {
    private let library: OpaquePointer

    /// The system's poppler-glib, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in try PDFLibrary(named: name) }

    #if canImport(Darwin)
    private static let name = "libpoppler-glib.8.dylib"
    #else
    private static let name = "libpoppler-glib.so.8"
    #endif

    /// Loads the library.
    ///
    /// - Parameter name: The file name, as dlopen(3) takes it.
    /// - Throws: ``TintypeError/Code/noCoder`` if it is missing or lacks functions, ``TintypeError/Code/outOfMemory``.
    init(named name: String) throws(TintypeError) {
        var library: OpaquePointer?
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = tintype_pdf_load(name, &library, &message, message.count)
        guard status == .ok, let library else { throw Self.error(status, message) }
        self.library = library
    }

    /// Opens a document.
    ///
    /// - Returns: A `tintype_pdf_document`, which the caller closes.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/outOfMemory``.
    func open(_ bytes: Data) throws(TintypeError) -> OpaquePointer {
        var document: OpaquePointer?
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_pdf_open(library, $0, raw.count, &document, &message, message.count)
            }
        }
        guard status == .ok, let document else { throw Self.error(status, message) }
        return document
    }

    private static let messageSize = 200

    static func error(_ status: tintype_pdf_status?, _ message: [CChar] = []) -> TintypeError {
        let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return switch status {
        case .unavailable:
            TintypeError(
                .noCoder, stage: .decode,
                "poppler-glib, which draws PDF, cannot be loaded; install libpoppler-glib8: \(reason)")
        case .memory: TintypeError(.outOfMemory, stage: .decode, "no memory to draw a PDF")
        case .noPage: TintypeError(.noSuchFrame, stage: .decode, "the PDF has no such page")
        case .corrupt, .ok, nil:
            TintypeError(.undecodable, stage: .decode, "the PDF is damaged or encrypted: \(reason)")
        }
    }
}
