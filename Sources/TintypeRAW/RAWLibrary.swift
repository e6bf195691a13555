import CTintypeRAW
import Foundation
import TintypeCore

/// LibRaw, loaded at the first raw image and never unloaded.
///
/// `@unchecked Sendable` because the loaded library is never changed or freed.
struct RAWLibrary: @unchecked Sendable {
    let library: OpaquePointer

    /// The system's LibRaw, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in
        // The error of the last name stands for all.
        for name in names.dropLast() { if let library = try? RAWLibrary(named: name) { return library } }
        return try RAWLibrary(named: names[names.count - 1])
    }

    #if canImport(Darwin)
    private static let names = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)libraw_r.dylib" }
    #else
    /// LibRaw 0.21 and 0.20, in the builds that several threads may use.
    private static let names = ["libraw_r.so.23", "libraw_r.so.20"]
    #endif

    /// Loads the library.
    ///
    /// - Parameter name: The file name, as dlopen(3) takes it.
    /// - Throws: ``TintypeError/Code/noCoder`` if it is missing or lacks functions, ``TintypeError/Code/outOfMemory``.
    init(named name: String) throws(TintypeError) {
        var library: OpaquePointer?
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = tintype_raw_load(name, &library, &message, message.count)
        guard status == .ok, let library else {
            let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw status == .memory
                ? TintypeError(status)
                : TintypeError(
                    .noCoder, stage: .decode,
                    "LibRaw, which decodes raw images, cannot be loaded; install libraw20 or a later version: \(reason)"
                )
        }
        self.library = library
    }

    private static let messageSize = 200
}

extension TintypeError {
    /// Creates the error for a status other than `ok`.
    init(_ status: tintype_raw_status) {
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "no memory to decode a raw image")
        case .cancelled: self = .cancelled
        case .corrupt, .unavailable, .noPreview, .ok:
            self.init(.undecodable, stage: .decode, "the raw image is damaged, cut short or of an unknown camera")
        }
    }
}
