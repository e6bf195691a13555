import Foundation
import NIOSSL

/// The certificates of the system, read once for all clients that are pinned to a host. Each client has a TLS context of
/// its own, and reading the certificates takes tens of milliseconds.
enum SystemTrustRoots {
    /// The certificates; the default of the TLS library if they are not in a file.
    static let shared: NIOSSLTrustRoots = certificates.map { .certificates($0) } ?? .default

    /// The files of Debian and its relatives, and of Fedora.
    private static let paths = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    private static var certificates: [NIOSSLCertificate]? {
        paths.lazy.compactMap { try? NIOSSLCertificate.fromPEMFile($0) }.first { !$0.isEmpty }
    }
}
