import CTintypeTLS
import TintypeCore

/// OpenSSL, loaded when the first context of TLS is made.
enum TLSLibrary {
    /// The system's libssl, or the error of loading it.
    static let standard = Result { () throws(TintypeError) in
        do throws(TintypeError) {
            return try RuntimeLibrary(
                names, functions: .init(tintype_tls_function_names()),
                .init("libssl, which encrypts connections", packages: "libssl3 on Debian, openssl-libs on Fedora"))
        } catch {
            throw error.at(.load)
        }
    }

    #if canImport(Darwin)
    /// Homebrew's folders are not in the search path.
    private static let names = ["/opt/homebrew/opt/openssl@3/lib/", "/usr/local/opt/openssl@3/lib/"]
        .map { "\($0)libssl.3.dylib" }
    #else
    private static let names = ["libssl.so.3"]
    #endif
}
