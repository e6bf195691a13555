import Testing

@testable import TintypeCore

/// The vectors of RFC 4231, section 4.
@Suite struct HMACSHA256Tests {
    struct Vector: Sendable {
        let key: [UInt8]
        let data: [UInt8]
        let digest: String
    }

    static let vectors: [Vector] = [
        Vector(
            key: .init(repeating: 0x0b, count: 20), data: Array("Hi There".utf8),
            digest: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
            digest: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: .init(repeating: 0xaa, count: 20), data: .init(repeating: 0xdd, count: 50),
            digest: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: Array(0x01...0x19), data: .init(repeating: 0xcd, count: 50),
            digest: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Vector(
            key: .init(repeating: 0xaa, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            digest: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Vector(
            key: .init(repeating: 0xaa, count: 131),
            data: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            digest: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test(arguments: vectors) func aVectorOfRFC4231HasItsDigest(_ vector: Vector) {
        var hash = HMACSHA256(key: vector.key)
        hash.update(vector.data)
        #expect(hash.bytes.hexadecimal == vector.digest)
    }

    @Test func bytesThatArriveInPartsHaveTheSameDigest() {
        let vector = Self.vectors[5]
        var hash = HMACSHA256(key: vector.key)
        for byte in vector.data { hash.update([byte]) }
        #expect(hash.bytes.hexadecimal == vector.digest)
    }

    @Test func theTruncatedVectorIsAPrefix() {
        var hash = HMACSHA256(key: .init(repeating: 0x0c, count: 20))
        hash.update("Test With Truncation")
        #expect(hash.bytes.prefix(16).hexadecimal == "a3b6167473100ee06e0c796c2955552b")
    }
}
