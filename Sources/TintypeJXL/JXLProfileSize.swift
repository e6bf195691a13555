import TintypeCore

/// The size of the colour profile of a JPEG XL, read without libjxl: libjxl decodes a profile before it tells its size, up
/// to 256 MB from a file of 1 MB.
enum JXLProfileSize {
    /// The number of bytes by which libjxl lets the encoded form of a profile exceed the profile.
    private static let mostOverhead: UInt64 = 65_536

    /// A kind of channel, or of colour space.
    private static let kind: [JXLBitReader.Field] = [(0, 0), (0, 1), (4, 2), (6, 18)]

    /// Checks the size of the profile, if it has arrived.
    ///
    /// - Parameter bytes: The file or its first bytes.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if the profile is larger than ``DecodeLimits/profileBytes``, or if the
    ///   header before it has extensions.
    static func check(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        var bits = JXLBitReader(JXLCodestream(bytes, headerEnd: 0))
        do throws(TintypeError) {
            let encoded = try encodedSize(&bits)
            // The smallest profile that has such an encoded form.
            let size = encoded > mostOverhead ? encoded - mostOverhead : 0
            guard size <= limits.profileBytes else {
                throw .exceeded(
                    .profileBytes,
                    "the colour profile of the JPEG XL has at least \(size) bytes; the limit is \(limits.profileBytes)")
            }
        } catch {
            // libjxl tells of damage.
            guard error.code == .undecodable else { throw error }
        }
    }

    /// Reads the headers in front of the profile (ISO/IEC 18181-1, D.2 and D.3).
    ///
    /// - Returns: The number of bytes of the profile in the form in which the file contains it; zero if there is none.
    private static func encodedSize(_ bits: inout JXLBitReader) throws(TintypeError) -> UInt64 {
        try bits.skip(bytes: 2)
        try skipSize(&bits)
        let isDefault = try bits.readFlag()
        guard !isDefault else { return 0 }
        let hasFurtherFields = try bits.readFlag()
        if hasFurtherFields { try skipPresentation(&bits) }
        try skipDepth(&bits)
        // Whether 16 bits suffice for a buffer.
        try bits.skip(1)
        for _ in 0..<(try bits.number([(0, 0), (0, 1), (4, 2), (12, 1)])) { try skipExtraChannel(&bits) }
        let isXYB = try bits.readFlag()
        let hasDefaultColors = try bits.readFlag()
        guard !hasDefaultColors, try bits.readFlag() else { return 0 }
        _ = try bits.number(kind)
        if hasFurtherFields { try skipToneMapping(&bits) }
        guard try bits.longNumber() == 0 else {
            throw .exceeded(.library, "the header of the JPEG XL has extensions, which Tintype does not support")
        }
        try skipTransform(&bits, isXYB: isXYB)
        return try bits.longNumber()
    }

    /// Skips the size of the image. A ratio of the sides may stand for the width.
    private static func skipSize(_ bits: inout JXLBitReader) throws(TintypeError) {
        let isSmall = try bits.readFlag()
        func skipSide() throws(TintypeError) {
            if isSmall { try bits.skip(5) } else { _ = try bits.number([(9, 1), (13, 1), (18, 1), (30, 1)]) }
        }
        try skipSide()
        if try bits.read(3) == 0 { try skipSide() }
    }

    /// Skips the orientation, the sizes at which to show the image and a preview, and the units of an animation.
    private static func skipPresentation(_ bits: inout JXLBitReader) throws(TintypeError) {
        try bits.skip(3)
        if try bits.readFlag() { try skipSize(&bits) }
        if try bits.readFlag() { try skipPreviewSize(&bits) }
        guard try bits.readFlag() else { return }
        _ = try bits.number([(0, 100), (0, 1000), (10, 1), (30, 1)])
        _ = try bits.number([(0, 1), (0, 1001), (8, 1), (10, 1)])
        _ = try bits.number([(0, 0), (3, 0), (16, 0), (32, 0)])
        try bits.skip(1)
    }

    private static func skipPreviewSize(_ bits: inout JXLBitReader) throws(TintypeError) {
        let fields: [JXLBitReader.Field] =
            try bits.readFlag() ? [(0, 16), (0, 32), (5, 1), (9, 33)] : [(6, 1), (8, 65), (10, 321), (12, 1345)]
        _ = try bits.number(fields)
        if try bits.read(3) == 0 { _ = try bits.number(fields) }
    }

    private static func skipDepth(_ bits: inout JXLBitReader) throws(TintypeError) {
        let isFloat = try bits.readFlag()
        _ = try bits.number([(0, 8), (0, 10), (0, 12), (6, 1)])
        if isFloat { try bits.skip(4) }
    }

    private static func skipExtraChannel(_ bits: inout JXLBitReader) throws(TintypeError) {
        let isDefault = try bits.readFlag()
        guard !isDefault else { return }
        let kind = try bits.number(Self.kind)
        try skipDepth(&bits)
        _ = try bits.number([(0, 0), (0, 3), (0, 4), (3, 1)])
        try bits.skipName()
        switch kind {
        // Whether colours are multiplied by alpha; a spot colour; the channel of a filter array.
        case 0: try bits.skip(1)
        case 2: try bits.skip(4 * 16)
        case 5: _ = try bits.number([(0, 1), (2, 0), (4, 3), (8, 19)])
        default: break
        }
    }

    private static func skipToneMapping(_ bits: inout JXLBitReader) throws(TintypeError) {
        let isDefault = try bits.readFlag()
        if !isDefault { try bits.skip(16 + 16 + 1 + 16) }
    }

    /// Skips the matrix of the colour space XYB, and the weights of upsampling by 2, 4 and 8. All have 16 bits.
    private static func skipTransform(_ bits: inout JXLBitReader, isXYB: Bool) throws(TintypeError) {
        let isDefault = try bits.readFlag()
        guard !isDefault else { return }
        if isXYB {
            let hasDefaultMatrix = try bits.readFlag()
            if !hasDefaultMatrix { try bits.skip((9 + 3 + 4) * 16) }
        }
        let mask = try bits.read(3)
        for (index, count) in [15, 55, 210].enumerated() where mask >> index & 1 == 1 { try bits.skip(count * 16) }
    }
}
