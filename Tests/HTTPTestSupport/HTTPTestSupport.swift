import Crypto
import Foundation
import SwiftASN1
package import TintypeHTTP
package import TintypeTesting
import X509

/// Makes self-signed certificates for the tests of TLS.
package enum TestCertificate {
    /// Returns a certificate that is valid for one day before and after now.
    ///
    /// - Parameter name: The host name. `127.0.0.1` makes a certificate for that address and for `localhost`.
    /// - Throws: An error if the certificate cannot be encoded or signed.
    package static func make(for name: String = "127.0.0.1") throws -> OriginIdentity {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let address = ASN1OctetString(contentBytes: [127, 0, 0, 1])
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -86_400), notValidAfter: Date(timeIntervalSinceNow: 86_400),
            issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames(
                    name == "127.0.0.1" ? [.ipAddress(address), .dnsName("localhost")] : [.dnsName(name)])
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
        return OriginIdentity(
            certificates: try certificate.serializeAsPEM().pemString, key: key.pemRepresentation)
    }
}

extension DownloaderConfiguration {
    /// The standard configuration, with timeouts that neither a busy machine nor a sanitizer reaches.
    package static var patient: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.idleTimeout = .seconds(3600)
        configuration.connectTimeout = .seconds(3600)
        configuration.totalTimeout = nil
        configuration.minimumRate = nil
        return configuration
    }
}

extension Downloader {
    /// A downloader with the patient configuration.
    package static var patient: Downloader { Downloader(.patient) }
}
