import TintypeCore

/// The patches of a frame (ISO/IEC 18181-1, K.3): parts of earlier frames that libjxl draws into it.
///
/// They are read without libjxl, which cannot be stopped while it draws. A file of 40 bytes may have one for each pixel, each
/// as high as the image.
struct JXLPatches {
    /// The memory in bytes that libjxl 0.7 takes for them. docs/decoder-memory.md has the measurements.
    private(set) var memory = 0.0
    /// Whether drawing them takes as long as the rest of the frame, or longer.
    var isSlow: Bool { cost > Self.costOfOtherParts * Double(max(frame.area, Self.smallArea)) }
    /// The time to draw them, in the time to add a pixel.
    private var cost = 0.0
    /// The time for the other parts of a pixel, in the same unit, and the area below which time does not matter.
    private static let (costOfOtherParts, smallArea) = (16.0, 1 << 16)
    private let frame: Frame
    /// The possible positions. A side has at most 2³⁰ pixels.
    private static let positions = 0...1 << 30
    private var numbers: JXLNumberReader

    /// What the time and the memory depend on.
    struct Frame {
        /// The number of pixels, before upsampling.
        let area: Int
        /// The number of groups next to each other. libjxl looks for patches in each row of each group.
        let groupColumns: Int
        let extraChannelCount: Int

        /// The cost of drawing a patch.
        func cost(width: Int, height: Int) -> Double {
            // Blending with an extra channel, alpha, takes longer than adding.
            let blending = extraChannelCount == 0 ? 1 : 2.5 * Double(3 + extraChannelCount) / 3
            return 130 + Double(height) * (Double(width) * blending + Double(50 + 10 * groupColumns))
        }
    }

    /// What the patches of all frames of a file, and those of one frame, may still take.
    struct Budget {
        /// The time to draw those of all frames, in the time to add a pixel: about 4 ns.
        private var cost = Self.cost(ofPixels: 4 << 20)
        /// The time to draw those of the frame that is read. libjxl cannot be stopped before it has drawn them.
        private var frameCost = 0.0
        /// The number of patches and of their sources.
        private var count = Self.mostPatches

        private static let mostPatches = 1 << 20

        private static func cost(ofPixels count: Int) -> Double { 64 * Double(count) }

        /// Adds the time that the area of a frame allows, before its patches are read.
        mutating func begin(_ frame: Frame) {
            cost += Self.cost(ofPixels: frame.area)
            frameCost = Self.cost(ofPixels: 4 << 20 + frame.area)
        }

        /// - Throws: ``TintypeError/Code/limitExceeded``.
        mutating func take(_ count: Int, costing cost: Double) throws(TintypeError) {
            self.cost -= cost
            frameCost -= cost
            self.count -= count + 1
            guard min(self.cost, frameCost) >= 0 else {
                throw .exceeded(.library, "the frames of the JPEG XL have patches that take too long to draw")
            }
            guard self.count >= 0 else {
                throw .exceeded(.library, "the frames of the JPEG XL have more than \(Self.mostPatches) patches")
            }
        }
    }

    /// The kinds of numbers. Each has a code of its own.
    private enum Context: Int, CaseIterable {
        case sourceCount, sourceFrame, size, sourcePosition, position, mode, offset, count, alphaChannel, clamps
    }

    /// Reads the patches at the beginning of the first section of a frame.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if they exceed the budget, or if the numbers are damaged or too complex;
    ///   ``TintypeError/Code/undecodable`` where the bytes end; ``TintypeError/cancelled``.
    init(
        _ bits: inout JXLBitReader, of frame: Frame, within budget: inout Budget, isCancelled: () -> Bool
    ) throws(TintypeError) {
        self.frame = frame
        numbers = try JXLNumberReader(&bits, contextCount: Context.allCases.count)
        budget.begin(frame)
        for _ in 0..<(try next(&bits, .sourceCount)) { try readSource(&bits, &budget, isCancelled) }
        guard numbers.isIntact else { throw .unreadableNumbers }
    }

    private mutating func next(_ bits: inout JXLBitReader, _ context: Context) throws(TintypeError) -> Int {
        try numbers.next(&bits, context: context.rawValue)
    }

    /// Reads a part of an earlier frame, and where it is drawn.
    private mutating func readSource(
        _ bits: inout JXLBitReader, _ budget: inout Budget, _ isCancelled: () -> Bool
    ) throws(TintypeError) {
        for context in [Context.sourceFrame, .sourcePosition, .sourcePosition] { _ = try next(&bits, context) }
        let (width, height) = (try next(&bits, .size) + 1, try next(&bits, .size) + 1)
        let count = try next(&bits, .count) + 1
        let cost = Double(count) * frame.cost(width: width, height: height)
        try budget.take(count, costing: cost)
        self.cost += cost
        memory += 120 + Double(count) * Double(80 + 30 * frame.extraChannelCount)
        var (x, y) = (try next(&bits, .position), try next(&bits, .position))
        for index in 0..<count {
            if index % 4096 == 0, isCancelled() { throw .cancelled }
            if index > 0 {
                x += JXLBitReader.signed(try next(&bits, .offset))
                y += JXLBitReader.signed(try next(&bits, .offset))
            }
            // At a negative one, a libjxl without the mend of CVE-2023-35790 does not end, and takes all memory.
            guard Self.positions.contains(x), Self.positions.contains(y) else {
                throw .exceeded(.library, "a frame of the JPEG XL has a patch outside of the image")
            }
            for _ in 0...frame.extraChannelCount { try skipBlending(&bits) }
        }
    }

    private mutating func skipBlending(_ bits: inout JXLBitReader) throws(TintypeError) {
        let mode = try next(&bits, .mode)
        guard mode < 8 else { throw .unreadableNumbers }
        let (multiplies, usesAlpha) = (mode == 3, mode > 3)
        if usesAlpha, frame.extraChannelCount > 1 { _ = try next(&bits, .alphaChannel) }
        if usesAlpha || multiplies { _ = try next(&bits, .clamps) }
    }
}
