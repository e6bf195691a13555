import CTintypeCurl
import Foundation
package import TintypeCore

/// libcurl, loaded and initialized at the first request.
package enum CurlLibrary: OnDemandLibrary {
    /// The first version of the code in which parallel responses over HTTP/2 end: earlier ones miss the end of some at
    /// once, this one rarely, which ``CurlLoop`` makes up for.
    static let firstVersionWithHTTP2 = 0x08_01_00

    /// The first version that refuses a head whose first field is a continuation: earlier ones add it to the last field
    /// of the handle's last response, which is freed (curl/curl#11101).
    static let firstVersionWithSafeContinuations = 0x08_01_01

    /// The environment variable that names another library than that of the system.
    static let variable = "TINTYPE_LIBCURL"

    package static let files =
        ProcessInfo.processInfo.environment[variable].map { [$0] } ?? ["libcurl.so.4", "libcurl-gnutls.so.4"]

    /// Another library must not be mixed with that of the system, which programs with `FoundationNetworking` link.
    package static let isIsolated = ProcessInfo.processInfo.environment[variable] != nil

    #if os(Linux)
    package static let loaded = connected(
        tintype_curl_names(), tintype_curl_connect,
        description
    ).flatMap { Result(catching: connectPending) }.flatMap(start)

    private static let description = RuntimeLibrary.Description(
        "libcurl, which sends HTTP requests", packages: "libcurl4 on Debian, libcurl on Fedora")

    /// Looks up functions of the TLS library of libcurl.
    private static func connectPending() throws(TintypeError) {
        let none: [UnsafePointer<CChar>?] = [nil]
        let library = try none.withUnsafeBufferPointer { none throws(TintypeError) in
            guard let base = none.baseAddress else { throw .cancelled }
            return try RuntimeLibrary(
                files, functions: .init(base, optional: tintype_curl_pending_names()), description,
                isIsolated: isIsolated)
        }
        tintype_curl_connect_pending(UnsafeRawPointer(library.functions), !isIsolated)
    }
    #else
    package static let loaded = start()
    #endif

    private static func start() -> Result<Void, TintypeError> {
        guard tintype_curl_start() == CURLE_OK else {
            return .failure(TintypeError(.outOfMemory, stage: .load, "libcurl cannot be initialized"))
        }
        guard version >= 0x07_57_00 else {
            return .failure(
                TintypeError(.unreachable, stage: .load, "libcurl \(versionName) is too old: 7.87 or later is needed"))
        }
        return .success(())
    }

    /// The version as a number, such as 0x075801 for 7.88.1. The library must be loaded.
    static var version: Int { Int(curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0) }

    /// The version, such as `7.88.1`. The library must be loaded.
    package static var versionName: String {
        curl_version_info(CURLVERSION_FIRST)?.pointee.version.map { String(cString: $0) } ?? "?"
    }

    /// Whether HTTP/2 is used. The library must be loaded.
    package static let usesHTTP2 = version >= firstVersionWithHTTP2 && has(CURL_VERSION_HTTP2)

    /// Whether libcurl can speak HTTP/3. The library must be loaded.
    static let hasHTTP3 = has(CURL_VERSION_HTTP3)

    private static func has(_ feature: Int32) -> Bool {
        Int(curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0) & Int(feature) != 0
    }

    /// Whether libcurl must not read the first field of a head before Tintype has. The library must be loaded.
    static let needsPreview = version < firstVersionWithSafeContinuations

    /// The file with the certificates of the system; `nil` if none is known. Those of Debian and its relatives, and of
    /// Fedora.
    static let systemCertificates = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
        .first { FileManager.default.isReadableFile(atPath: $0) }

    /// The file whose certificates are trusted, if libcurl's own is missing: a library that was built elsewhere looks
    /// elsewhere. The library must be loaded.
    static let certificateFile: String? = {
        let own = curl_version_info(CURLVERSION_ELEVENTH)?.pointee.cainfo.map { String(cString: $0) }
        guard let own, !FileManager.default.isReadableFile(atPath: own) else { return nil }
        return systemCertificates
    }()
}
