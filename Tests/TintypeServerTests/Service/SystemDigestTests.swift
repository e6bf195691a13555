import Foundation
import Testing
import TintypeCore
import TintypeTLS

/// The digest of sources, by OpenSSL.
@Suite struct SystemDigestTests {
    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 1_000_003]) func itIsThatOfTheOtherImplementation(_ count: Int) {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        var digest = SHA256Digest()
        digest.update(data)
        #expect(SystemDigest.sha256(data) == digest.bytes)
    }

    /// FIPS 180-4 has this example: a million letters.
    @Test func itIsThatOfTheStandard() {
        #expect(
            SystemDigest.sha256(Data(repeating: UInt8(ascii: "a"), count: 1_000_000)).hexadecimal
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
