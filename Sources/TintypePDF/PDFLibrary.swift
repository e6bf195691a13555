import CTintypePDF
import Foundation
import TintypeCore

/// poppler-glib, loaded at the first PDF.
enum PDFLibrary {
    /// The system's poppler-glib, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in try load(names) }

    #if canImport(Darwin)
    /// Homebrew's folders are not in the search path.
    private static let names = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)libpoppler-glib.8.dylib" }
    #else
    private static let names = ["libpoppler-glib.so.8"]
    #endif

    /// Loads the first library of some file names.
    ///
    /// - Throws: `TintypeError.Code.noCoder` if all are missing or lack functions.
    static func load(_ names: [String]) throws(TintypeError) -> RuntimeLibrary {
        try RuntimeLibrary(
            names, functions: .init(tintype_pdf_function_names()),
            .init(
                "poppler-glib, which draws PDF", packages: "libpoppler-glib8 on Debian, poppler-glib on Fedora"))
    }

    /// Opens a document.
    ///
    /// - Returns: A `tintype_pdf_document`, which the caller closes.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, and the errors of ``load(_:)``.
    static func open(_ bytes: Data) throws(TintypeError) -> OpaquePointer {
        let library = try standard.get().functions
        guard !bytes.isEmpty else { throw TintypeError(.undecodable, stage: .decode, "the PDF is empty") }
        var document: OpaquePointer?
        var message = [CChar](repeating: 0, count: messageSize)
        let status = bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_pdf_open(library, $0, raw.count, &document, &message, message.count)
            }
        }
        if status == .ok, let document { return document }
        guard status == .corrupt else { throw TintypeError(status ?? .corrupt) }
        throw TintypeError(.undecodable, stage: .decode, "the PDF cannot be opened: \(String(cText: message))")
    }

    private static let messageSize = 200
}

extension TintypeError {
    /// Creates the error for a status other than `ok`.
    init(_ status: tintype_pdf_status) {
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to draw a PDF")
        case .noPage: self.init(.noSuchFrame, stage: .decode, "the PDF has no such page")
        case .corrupt, .ok: self.init(.undecodable, stage: .decode, "the page of the PDF cannot be drawn")
        }
    }
}
