import Crypto
import Foundation
import SwiftASN1
package import TintypeTesting
import X509

/// A certificate that is made in the test, for 127.0.0.1 and localhost, and signs itself.
package enum TestCertificate {
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
