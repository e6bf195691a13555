import CLibPSL
import Foundation
import TintypeCore

/// The list of public suffixes (publicsuffix.org): domains below which anyone can have a name, such as `co.uk` and
/// `github.io`.
enum PublicSuffixes {
    /// Whether a domain is a public suffix. Top-level domains are. If libpsl is not installed, all domains count as
    /// such, so that cookies are sent only to the host that has set them.
    ///
    /// - Parameter domain: A name in lowercase.
    static func contain(_ domain: String) -> Bool {
        guard case .success = SuffixLibrary.loaded, let list = psl_builtin() else { return true }
        return psl_is_public_suffix(list, domain) != 0
    }
}

/// libpsl, loaded at the first cookie for a whole domain. libcurl links it on most systems.
private enum SuffixLibrary: OnDemandLibrary {
    static let files = ["libpsl.so.5"]

    #if os(Linux)
    static let loaded = connected(
        tintype_psl_names(), tintype_psl_connect,
        .init("libpsl, which knows the public suffixes", packages: "libpsl5 on Debian, libpsl on Fedora"))
    #else
    static let loaded = Result<Void, TintypeError>.success(())
    #endif
}
