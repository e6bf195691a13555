import TintypeCore

/// The hidden frames at the start of a JPEG XL: low-frequency frames, and frames that only later ones refer to. libjxl does
/// not report them.
///
/// Hidden frames between frames that are shown are not read. The length of a shown frame is usually known only after
/// decoding the order of its sections, which is too complex if there are many.
struct JXLFrameWalk {
    /// The number of pixels of each hidden frame.
    private(set) var areas: [Int] = []
    /// Whether the first frame that is shown follows them. If not, there may be more of them, and libjxl must not read them.
    private(set) var isComplete = false

    /// Reads the headers of hidden frames. Damage ends the walk.
    ///
    /// - Parameter codestream: The bytes from the first frame on.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if a frame has too many pixels, if there are too many, or if the length
    ///   of one cannot be read; see ``JXLSectionOrder``.
    init(
        _ codestream: JXLCodestream, canvas: PixelSize, isXYB: Bool, extraChannelCount: Int, _ limits: DecodeLimits
    ) throws(TintypeError) {
        var bits = JXLBitReader(codestream)
        do throws(TintypeError) {
            while true {
                guard
                    let frame = try JXLHiddenFrame(
                        &bits, canvas: canvas, isXYB: isXYB, extraChannelCount: extraChannelCount)
                else {
                    isComplete = true
                    return
                }
                try Self.check(frame.size, limits)
                areas.append(frame.size.area)
                guard areas.count <= limits.frames else {
                    throw .exceeded(.frames, "the JPEG XL stores more than \(limits.frames) frames")
                }
                try bits.skip(bytes: try frame.readLength(&bits))
            }
        } catch {
            guard error.code == .undecodable else { throw error }
        }
    }

    private static func check(_ size: PixelSize, _ limits: DecodeLimits) throws(TintypeError) {
        guard size.area <= limits.pixels else {
            throw .exceeded(
                .pixels, "a frame of the JPEG XL has \(size.area) pixels (\(size)); the limit is \(limits.pixels)")
        }
    }
}

/// The header of a frame that is not shown (ISO/IEC 18181-1, F.2), and the table of its sections (F.3).
private struct JXLHiddenFrame {
    /// The size in pixels, after upsampling.
    private(set) var size: PixelSize
    private let isModular: Bool
    private var upsampling = 1
    private var groupSide = 256
    private var passCount = 1

    /// The bit of the flags for a frame that takes its low frequencies from another one.
    private static let usesLowFrequencyFrame: UInt64 = 0x20
    private static let side: [JXLBitReader.Field] = [(8, 0), (11, 256), (14, 2304), (30, 18_688)]

    /// Reads a header.
    ///
    /// - Returns: `nil` if the frame is shown. Then `bits` have been read in part.
    /// - Throws: ``TintypeError/Code/undecodable``.
    init?(
        _ bits: inout JXLBitReader, canvas: PixelSize, isXYB: Bool, extraChannelCount: Int
    ) throws(TintypeError) {
        let isDefault = try bits.readFlag()
        guard !isDefault else { return nil }
        let type = try bits.read(2)
        let (isLowFrequency, isReference) = (type == 1, type == 2)
        guard isLowFrequency || isReference else { return nil }
        size = canvas
        isModular = try bits.readFlag()
        try readEncoding(&bits, isXYB: isXYB, extraChannelCount: extraChannelCount)
        if isLowFrequency {
            try readPasses(&bits)
            let scale = 1 << (3 * (try bits.read(2) + 1))
            size = canvas.divided(by: scale)
        } else if try bits.readFlag() {
            size = PixelSize(width: try bits.number(Self.side), height: try bits.number(Self.side))
            // Zero stands for a side of the canvas.
            if size.width == 0 { size.width = canvas.width }
            if size.height == 0 { size.height = canvas.height }
        }
        // The index under which it is kept, and whether its colours are those of the file.
        if isReference { _ = try bits.read(3) }
        let nameLength = try bits.number([(0, 0), (4, 0), (5, 16), (10, 48)])
        try bits.skip(nameLength * 8)
        try skipFilters(&bits)
        try bits.skipExtensions()
    }

    private mutating func readEncoding(
        _ bits: inout JXLBitReader, isXYB: Bool, extraChannelCount: Int
    ) throws(TintypeError) {
        let flags = try bits.longNumber()
        let ownsLowFrequencies = flags & Self.usesLowFrequencyFrame == 0
        // Subsampled YCbCr, as in a JPEG.
        if !isXYB, try bits.readFlag(), ownsLowFrequencies { try bits.skip(6) }
        if ownsLowFrequencies {
            upsampling = 1 << (try bits.read(2))
            try bits.skip(2 * extraChannelCount)
        }
        if isModular {
            groupSide = 128 << (try bits.read(2))
        } else if isXYB {
            try bits.skip(6)
        }
    }

    private mutating func readPasses(_ bits: inout JXLBitReader) throws(TintypeError) {
        passCount = try bits.number([(0, 1), (0, 2), (0, 3), (3, 4)])
        guard passCount > 1 else { return }
        let downsamplingCount = try bits.number([(0, 0), (0, 1), (0, 2), (1, 3)])
        try bits.skip(2 * (passCount - 1) + 2 * downsamplingCount)
        for _ in 0..<downsamplingCount { _ = try bits.number([(0, 0), (0, 1), (0, 2), (3, 0)]) }
    }

    /// Skips the settings of the two filters that restore edges (J.1). Weights have 16 bits.
    private func skipFilters(_ bits: inout JXLBitReader) throws(TintypeError) {
        let isDefault = try bits.readFlag()
        guard !isDefault else { return }
        if try bits.readFlag(), try bits.readFlag() { try bits.skip(6 * 16) }
        if try bits.read(2) > 0 {
            if !isModular, try bits.readFlag() { try bits.skip(8 * 16) }
            if try bits.readFlag() { try bits.skip(5 * 16) }
            if try bits.readFlag() { try bits.skip((isModular ? 3 : 4) * 16) }
            if isModular { try bits.skip(16) }
        }
        try bits.skipExtensions()
    }

    /// Reads the table behind the header; returns the number of bytes of all sections.
    ///
    /// - Throws: ``TintypeError/Code/undecodable``; ``TintypeError/Code/limitExceeded`` if the sections are stored in an
    ///   order that cannot be read.
    func readLength(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        let count = sectionCount
        guard count <= Self.maxSections else { throw .damagedJXL }
        if try bits.readFlag() { try JXLSectionOrder.skip(&bits, sectionCount: count) }
        bits.alignToByte()
        var length = 0
        for _ in 0..<count {
            length += try bits.number([(10, 0), (14, 1024), (22, 17_408), (30, 4_211_712)])
        }
        bits.alignToByte()
        return length
    }

    /// The number of sections that libjxl accepts.
    private static let maxSections = 65_536

    private var sectionCount: Int {
        let coded = size.divided(by: upsampling)
        let groupCount = coded.divided(by: groupSide).area
        guard groupCount > 1 || passCount > 1 else { return 1 }
        return 2 + coded.divided(by: 8 * groupSide).area + groupCount * passCount
    }
}

extension PixelSize {
    /// Returns this size in units of `side`, rounded up.
    fileprivate func divided(by side: Int) -> PixelSize {
        PixelSize(width: (width + side - 1) / side, height: (height + side - 1) / side)
    }
}
