import TintypeCore

/// The format of the frames of an AV1 stream, in a sequence header (AV1 specification, 5.5).
///
/// A decoder allocates frames for this format, whatever format the file around it declares.
struct AV1SequenceHeader {
    /// The bits, the number of samples in all planes for two pixels, and the pixels of a frame.
    let format: AV1FrameFormat

    /// Parses the payload of a sequence header.
    ///
    /// - Returns: `nil` if it is truncated or invalid.
    init?(_ payload: UnsafeRawBufferPointer) {
        var bits = AV1BitReader(payload)
        let profile = bits.read(3)
        bits.skip(1)
        let isReduced = bits.readFlag()
        if isReduced { bits.skip(5) } else { Self.skipOperatingPoints(&bits) }
        let pixels = Self.readPixels(&bits, isReduced: isReduced)
        Self.skipTools(&bits, isReduced: isReduced)
        // superres, cdef, restoration
        bits.skip(3)
        let (depth, samples) = Self.readColors(&bits, profile: profile)
        guard profile <= 2, !bits.isExhausted else { return nil }
        format = AV1FrameFormat(depth: depth, samplesOfTwoPixels: samples, pixels: pixels)
    }

    /// Skips the timing, the decoder model and the operating points (5.5.1).
    private static func skipOperatingPoints(_ bits: inout AV1BitReader) {
        var delayLength: Int?
        if bits.readFlag() {
            bits.skip(64)
            if bits.readFlag() { bits.skipVariableLength() }
            if bits.readFlag() {
                delayLength = bits.read(5) + 1
                bits.skip(32 + 5 + 5)
            }
        }
        let hasDisplayDelay = bits.readFlag()
        for _ in 0...bits.read(5) {
            bits.skip(12)
            // A tier follows the level.
            if bits.read(5) > 7 { bits.skip(1) }
            if let delayLength, bits.readFlag() { bits.skip(2 * delayLength + 1) }
            if hasDisplayDelay, bits.readFlag() { bits.skip(4) }
        }
    }

    /// Reads the largest number of pixels of a frame. Frames of still images with a reduced header have the size that
    /// the header states; others may state any size that fits into as many bits.
    private static func readPixels(_ bits: inout AV1BitReader, isReduced: Bool) -> Int {
        let (across, down) = (bits.read(4) + 1, bits.read(4) + 1)
        let (width, height) = (bits.read(across) + 1, bits.read(down) + 1)
        return isReduced ? width * height : 1 << (across + down)
    }

    /// Skips the coding tools between the size and `enable_superres`.
    private static func skipTools(_ bits: inout AV1BitReader, isReduced: Bool) {
        // Frame numbers have two lengths.
        if !isReduced, bits.readFlag() { bits.skip(4 + 3) }
        // 128 × 128 superblocks, filter intra, intra edge filter
        bits.skip(3)
        guard !isReduced else { return }
        // interintra, masked and warped compounds, dual filter
        bits.skip(4)
        let hasOrderHint = bits.readFlag()
        if hasOrderHint { bits.skip(2) }
        // seq_choose_screen_content_tools, seq_force_screen_content_tools, then the same for integer motion vectors
        let hasScreenContent = bits.readFlag() || bits.readFlag()
        if hasScreenContent, !bits.readFlag() { bits.skip(1) }
        if hasOrderHint { bits.skip(3) }
    }

    /// Reads the depth and the subsampling (`color_config`: 5.5.2).
    private static func readColors(_ bits: inout AV1BitReader, profile: Int) -> (depth: Int, samples: Int) {
        let isHigh = bits.readFlag()
        let isTwelve = profile == 2 && isHigh ? bits.readFlag() : false
        let depth = isTwelve ? 12 : isHigh ? 10 : 8
        let isGrey = profile == 1 ? false : bits.readFlag()
        let hasCodes = bits.readFlag()
        let codes = hasCodes ? [bits.read(8), bits.read(8), bits.read(8)] : []
        if isGrey { return (depth, 2) }
        // sRGB without a matrix
        if codes == [1, 13, 0] { return (depth, 6) }
        // color_range
        bits.skip(1)
        switch profile {
        case 0: return (depth, 3)
        case 1: return (depth, 6)
        default:
            guard isTwelve else { return (depth, 4) }
            let isHalvedAcross = bits.readFlag()
            let isHalvedDown = isHalvedAcross ? bits.readFlag() : false
            return (depth, isHalvedDown ? 3 : isHalvedAcross ? 4 : 6)
        }
    }
}

/// Reads bits, the highest of each byte first. Bits beyond the end are 0.
private struct AV1BitReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether more bits were read or skipped than there are.
    var isExhausted: Bool { position > 8 * bytes.count }

    mutating func skip(_ count: Int) { position += count }

    mutating func readFlag() -> Bool { read(1) == 1 }

    mutating func read(_ count: Int) -> Int {
        var number = 0
        for _ in 0..<count {
            let isInside = position / 8 < bytes.count
            number = number << 1 | (isInside ? Int(bytes[position / 8] >> (7 - position % 8) & 1) : 0)
            position += 1
        }
        return number
    }

    /// Skips a number with a prefix of as many zeros as it has bits (`uvlc`: 4.10.3).
    mutating func skipVariableLength() {
        var zeros = 0
        while zeros < 32, !isExhausted, !readFlag() { zeros += 1 }
        if zeros < 32 { skip(zeros) }
    }
}

// MARK: - Units

/// What the units (OBU) of an AV1 stream need of a decoder (AV1 specification, 5.3).
struct AV1Units {
    /// The largest format of all sequence headers; `nil` if there is none.
    private(set) var format: AV1FrameFormat?
    /// The number of frames, shown or hidden.
    private(set) var frameCount = 0
    /// Units that may still be read. The images of a hostile file overlap, so that its bytes are no bound.
    private(set) var unitsLeft = 1_000_000

    private enum Kind {
        static let sequenceHeader = 1
        static let frameHeader = 3
        static let frame = 6
    }

    /// Returns a count of none that may read as many units as are left.
    var cleared: AV1Units {
        var cleared = AV1Units()
        cleared.unitsLeft = unitsLeft
        return cleared
    }

    /// Reads the units of an item or a sample. A decoder stops at a truncated unit as well.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for an invalid sequence header, or too many units.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        var offset = 0
        while offset < bytes.count {
            guard unitsLeft > 0 else { throw .suspectStructure }
            unitsLeft -= 1
            guard let payload = Self.payload(bytes, at: offset) else { return }
            try count(Int(bytes[offset]) >> 3 & 15, UnsafeRawBufferPointer(rebasing: bytes[payload]))
            offset = payload.upperBound
        }
    }

    private mutating func count(_ kind: Int, _ payload: UnsafeRawBufferPointer) throws(TintypeError) {
        switch kind {
        case Kind.sequenceHeader:
            guard let header = AV1SequenceHeader(payload) else {
                throw TintypeError(.undecodable, stage: .decode, "a sequence header of the AVIF is damaged")
            }
            format = format?.union(header.format) ?? header.format
        case Kind.frameHeader, Kind.frame: frameCount += 1
        default: break
        }
    }

    /// Returns the range of the payload of a unit; `nil` if it is truncated.
    private static func payload(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Range<Int>? {
        let head = bytes[start]
        var offset = start + (head & 4 == 0 ? 1 : 2)
        guard offset <= bytes.count else { return nil }
        guard head & 2 != 0 else { return offset..<bytes.count }
        // leb128 (4.10.5)
        var size = 0
        for index in 0..<8 {
            guard offset < bytes.count else { return nil }
            let byte = bytes[offset]
            size |= Int(byte & 127) << (7 * index)
            offset += 1
            if byte < 128 { return size <= bytes.count - offset ? offset..<offset + size : nil }
        }
        return nil
    }
}
