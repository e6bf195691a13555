import TintypeCore

/// The header of a frame (ISO/IEC 18181-1, F.2), and the table of its sections (F.3).
struct JXLFrameHeader {
    /// The size in pixels, after upsampling.
    private(set) var size: PixelSize
    private(set) var kind = Kind.regular
    /// Whether no other frame follows.
    private(set) var isLast = true
    /// Whether parts of earlier frames are drawn into the frame: ``JXLPatches``.
    private(set) var hasPatches = false
    private(set) var hasSplines = false
    private var isModular = false
    private var (upsampling, groupSide, passCount) = (1, 256, 1)
    /// Whether the colours of the frame replace the whole canvas, instead of a part, or instead of being blended.
    private var replacesCanvas = false
    /// In units of the animation.
    private var duration = 0

    /// What a frame is for. The numbers are those in the file.
    enum Kind: Int {
        case regular
        /// The low frequencies of a later frame.
        case lowFrequency
        /// Only a source for later frames.
        case reference
        /// A part of the image that is not shown before it is complete.
        case skipProgressive
    }

    /// Whether the frame is a part of the image. libjxl does not report others.
    var isShown: Bool { kind == .regular || kind == .skipProgressive }

    /// The bit of the flags for a frame that takes its low frequencies from another one.
    private static let usesLowFrequencyFrame: UInt64 = 0x20
    private static let (containsPatches, containsSplines): (UInt64, UInt64) = (0x02, 0x10)
    private static let side: [JXLBitReader.Field] = [(8, 0), (11, 256), (14, 2304), (30, 18_688)]

    /// Reads a header, in that of the last frame only up to the field that marks it as the last, unless patches follow.
    ///
    /// - Throws: ``TintypeError/Code/undecodable``; ``TintypeError/Code/limitExceeded`` if the header has extensions.
    init(_ bits: inout JXLBitReader, of image: JXLHeader) throws(TintypeError) {
        size = image.info.storedSize
        let isDefault = try bits.readFlag()
        guard !isDefault else { return }
        kind = Kind(rawValue: try bits.read(2)) ?? .regular
        isModular = try bits.readFlag()
        try readEncoding(&bits, image)
        if kind != .reference { try readPasses(&bits) }
        let isPartial = try readSize(&bits, canvas: image.info.storedSize)
        isLast = false
        if isShown { try readDisplay(&bits, image, isPartial: isPartial) }
        guard !isLast || hasPatches else { return }
        if !isLast { try skipReference(&bits) }
        try bits.skipName()
        try skipFilters(&bits)
        try Self.refuseExtensions(&bits)
    }

    private mutating func readEncoding(_ bits: inout JXLBitReader, _ image: JXLHeader) throws(TintypeError) {
        let flags = try bits.longNumber()
        (hasPatches, hasSplines) = (flags & Self.containsPatches != 0, flags & Self.containsSplines != 0)
        let ownsLowFrequencies = flags & Self.usesLowFrequencyFrame == 0
        // Subsampled YCbCr, as in a JPEG.
        if !image.isXYB, try bits.readFlag(), ownsLowFrequencies { try bits.skip(6) }
        if ownsLowFrequencies {
            upsampling = 1 << (try bits.read(2))
            try bits.skip(2 * image.extraChannelCount)
        }
        if isModular {
            groupSide = 128 << (try bits.read(2))
        } else if image.isXYB {
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

    /// Reads the size and the position; returns whether the frame covers only a part of the canvas.
    private mutating func readSize(_ bits: inout JXLBitReader, canvas: PixelSize) throws(TintypeError) -> Bool {
        guard kind != .lowFrequency else {
            size = canvas.divided(by: 1 << (3 * (try bits.read(2) + 1)))
            return false
        }
        guard try bits.readFlag() else { return false }
        var (x, y) = (0, 0)
        if isShown {
            x = JXLBitReader.signed(try bits.number(Self.side))
            y = JXLBitReader.signed(try bits.number(Self.side))
        }
        size = PixelSize(width: try bits.number(Self.side), height: try bits.number(Self.side))
        // Zero stands for a side of the canvas.
        if size.width == 0 { size.width = canvas.width }
        if size.height == 0 { size.height = canvas.height }
        return x > 0 || y > 0 || x + size.width < canvas.width || y + size.height < canvas.height
    }

    /// Reads how the frame is blended, for how long it is shown, and whether it is the last one.
    private mutating func readDisplay(
        _ bits: inout JXLBitReader, _ image: JXLHeader, isPartial: Bool
    ) throws(TintypeError) {
        let replaces = try Self.readBlending(&bits, image, isPartial: isPartial)
        replacesCanvas = replaces && !isPartial
        for _ in 0..<image.extraChannelCount { _ = try Self.readBlending(&bits, image, isPartial: isPartial) }
        if image.isAnimated { duration = try bits.number([(0, 0), (0, 1), (8, 0), (32, 0)]) }
        if image.hasTimecodes { try bits.skip(32) }
        let endsFile = try bits.readFlag()
        isLast = endsFile && kind == .regular
    }

    /// Reads how channels are blended; returns whether they replace those below.
    private static func readBlending(
        _ bits: inout JXLBitReader, _ image: JXLHeader, isPartial: Bool
    ) throws(TintypeError) -> Bool {
        let mode = try bits.number([(0, 0), (0, 1), (0, 2), (2, 3)])
        let (replaces, multiplies) = (mode == 0, mode == 4)
        let usesAlpha = (mode == 2 || mode == 3) && image.extraChannelCount > 0
        if usesAlpha { _ = try bits.number([(0, 0), (0, 1), (0, 2), (3, 3)]) }
        // Whether values are clamped.
        if usesAlpha || multiplies { try bits.skip(1) }
        // The index of the frame below.
        if !replaces || isPartial { try bits.skip(2) }
        return replaces
    }

    /// Skips the index under which the frame is kept, and whether it is kept in the colours of the file.
    private func skipReference(_ bits: inout JXLBitReader) throws(TintypeError) {
        guard kind != .lowFrequency else { return }
        let index = try bits.read(2)
        // A frame that takes time is kept only under other indices than 0.
        let isKept = duration == 0 || index > 0
        if kind == .reference || (isKept && replacesCanvas) { try bits.skip(1) }
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
        try Self.refuseExtensions(&bits)
    }

    /// Refuses extensions. The standard defines none, and libjxl 0.7 skips those of filters incorrectly.
    private static func refuseExtensions(_ bits: inout JXLBitReader) throws(TintypeError) {
        guard try bits.longNumber() == 0 else {
            throw .exceeded(.library, "a frame of the JPEG XL has extensions, which Tintype does not support")
        }
    }

    // MARK: Sections

    /// Reads the table behind the header; returns the number of bytes of the first section and of all, which follow it.
    ///
    /// - Throws: ``TintypeError/Code/undecodable``; ``TintypeError/Code/limitExceeded`` if the sections are stored in an
    ///   order that cannot be read.
    func readSectionTable(_ bits: inout JXLBitReader) throws(TintypeError) -> (first: Int, all: Int) {
        let count = sectionCount
        guard count <= Self.maxSections else { throw .damagedJXL }
        if try bits.readFlag() {
            try JXLSectionOrder.skip(&bits, sectionCount: count, groupCount: groupCount, passCount: passCount)
        }
        bits.alignToByte()
        let first = try bits.number(Self.length)
        var all = first
        for _ in 1..<count { all += try bits.number(Self.length) }
        bits.alignToByte()
        return (first, all)
    }

    /// What the time and the memory for ``JXLPatches`` depend on.
    func patchFrame(of image: JXLHeader) -> JXLPatches.Frame {
        JXLPatches.Frame(
            area: codedSize.area, groupColumns: codedSize.divided(by: groupSide).width,
            extraChannelCount: image.extraChannelCount)
    }

    private static let length: [JXLBitReader.Field] = [(10, 0), (14, 1024), (22, 17_408), (30, 4_211_712)]
    /// The number of sections that libjxl accepts.
    private static let maxSections = 65_536

    private var codedSize: PixelSize { size.divided(by: upsampling) }
    private var groupCount: Int { codedSize.divided(by: groupSide).area }

    private var sectionCount: Int {
        guard groupCount > 1 || passCount > 1 else { return 1 }
        return 2 + codedSize.divided(by: 8 * groupSide).area + groupCount * passCount
    }
}

extension PixelSize {
    /// Returns this size in units of `side`, rounded up.
    fileprivate func divided(by side: Int) -> PixelSize {
        PixelSize(width: (width + side - 1) / side, height: (height + side - 1) / side)
    }
}
