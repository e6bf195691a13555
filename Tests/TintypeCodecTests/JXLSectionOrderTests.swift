import Foundation
import Testing
import TintypeCore

@testable import TintypeJXL

/// The orders of the sections of large frames, as `cjxl --group_order=1` stores them.
@Suite struct JXLSectionOrderTests {
    /// The number of sections, and the order. All have four sections of low frequencies, and one pass.
    private static let orders = [
        // Prefix codes with repetitions.
        (87, "ARLeGDRb6cm3iNBT+ywAeNDiH94x2Pxhan6pmHyUNlYnOsGdzctj3diBRq2NUiIHLq6mRuXAN6wzKgeBt86oHA=="),
        // Alias codes with repetitions.
        (
            138,
            """
            AWLAi1EDABiDL2WUCAieGYBw/eVmUKNFuEIdxUN5gvKxx/XLJ9K8NmzDDG5XMXqLnJtQyxSwdQJ1VcSG7dpBsaEQibqXLa1PEbXM\
            LkFQB4TRT5Scdqyw5yZRqtwU8FpsQBIE
            """
        ),
        // Alias codes.
        (
            149,
            """
            Qkpb8HvBAtgEHgeaARb9dyE+h8lcbpEHJ2SCZZb3SuO5IVopSJDnsUSjSFTa8mvTLAfvZODvn66kmOe238b9fUZrbaGpTeGRypqV\
            pigcLNY6dHd4pyzEUu9eIhF3RHMm8ZR6WiwuoAJwD10zR5s6eRgICQY=
            """
        ),
    ]

    /// Skips an order; returns the byte after it.
    private func byte(
        after order: Data, _ sectionCount: Int, fixedCount: Int = 6, passCount: Int = 1
    ) throws(TintypeError) -> Int {
        try (Data([0xFF]) + order + Data([0xA5])).withTypedBytes { raw throws(TintypeError) in
            var bits = JXLBitReader(JXLCodestream(raw, headerEnd: 1))
            try JXLSectionOrder.skip(
                &bits, sectionCount: sectionCount, groupCount: sectionCount - fixedCount, passCount: passCount)
            bits.alignToByte()
            return try bits.read(8)
        }
    }

    @Test(arguments: orders) func theTableBehindAnOrderIsFound(_ count: Int, _ encoded: String) throws {
        let order = try #require(Data(base64Encoded: encoded))
        #expect(try byte(after: order, count) == 0xA5)
    }

    /// libjxl would continue with the next frame in the middle of this one.
    @Test(arguments: orders) func aSectionBeforeOneThatItNeedsIsAnError(_ count: Int, _ encoded: String) throws {
        let order = try #require(Data(base64Encoded: encoded))
        let error = #expect(throws: TintypeError.self) { _ = try byte(after: order, count, fixedCount: count / 2) }
        #expect(error?.limit == .library)
    }

    @Test(arguments: orders) func aDamagedOrderIsAnError(_ count: Int, _ encoded: String) throws {
        let order = try #require(Data(base64Encoded: encoded))
        for length in 0..<order.count - 1 {
            #expect(throws: TintypeError.self) { _ = try byte(after: order.prefix(length), count) }
        }
        // Too few sections.
        let error = #expect(throws: TintypeError.self) { _ = try byte(after: order, count / 2) }
        #expect(error?.limit == .library)
    }
}
