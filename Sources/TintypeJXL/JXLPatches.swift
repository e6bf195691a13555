import TintypeCore

/// The patches of a frame (ISO/IEC 18181-1, K.3): parts of earlier frames that libjxl draws into it.
///
/// They are read without libjxl, which cannot be stopped while it draws. A file of 40 bytes may have one for each pixel, each
/// as high as the image.
struct JXLPatches {
    /// The memory in bytes that libjxl 0.7 takes for them. docs/decoder-memory.md has the measurements.
    private(set) var memory = 0.0
    /// The time to draw them, in the time for a pixel with three channels: about 4 ns.
    private var cost = 0.0
    private let frame: Frame
    private var numbers: JXLNumberReader

    /// What the time and the memory depend on.
    struct Frame {
        /// The number of pixels, before upsampling.
        let area: Int
        /// The number of groups next to each other. libjxl looks for patches in each row of each group.
        let groupColumns: Int
        let extraChannelCount: Int

        /// A small image may have large patches.
        var mostCost: Double { 64 * Double(max(area, 65_536)) }
    }

    /// The kinds of numbers. Each has a code of its own.
    private enum Context: Int, CaseIterable {
        case sourceCount, sourceFrame, size, sourcePosition, position, mode, offset, count, alphaChannel, clamps
    }

    /// Reads the patches at the beginning of the first section of a frame.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if drawing takes too long, or if the numbers are damaged or too complex;
    ///   ``TintypeError/Code/undecodable`` where the bytes end; ``TintypeError/cancelled``.
    init(_ bits: inout JXLBitReader, of frame: Frame, isCancelled: () -> Bool) throws(TintypeError) {
        self.frame = frame
        numbers = try JXLNumberReader(&bits, contextCount: Context.allCases.count)
        for _ in 0..<(try next(&bits, .sourceCount)) { try readSource(&bits, isCancelled) }
        guard numbers.isIntact else { throw .unreadableNumbers }
    }

    private mutating func next(_ bits: inout JXLBitReader, _ context: Context) throws(TintypeError) -> Int {
        try numbers.next(&bits, context: context.rawValue)
    }

    /// Reads a part of an earlier frame, and where it is drawn.
    private mutating func readSource(
        _ bits: inout JXLBitReader, _ isCancelled: () -> Bool
    ) throws(TintypeError) {
        for context in [Context.sourceFrame, .sourcePosition, .sourcePosition] { _ = try next(&bits, context) }
        let (width, height) = (try next(&bits, .size) + 1, try next(&bits, .size) + 1)
        let count = try next(&bits, .count) + 1
        try add(count, width: width, height: height)
        for index in 0..<count {
            if index % 4096 == 0, isCancelled() { throw .cancelled }
            let place: Context = index == 0 ? .position : .offset
            _ = (try next(&bits, place), try next(&bits, place))
            for _ in 0...frame.extraChannelCount { try skipBlending(&bits) }
        }
    }

    private mutating func add(_ count: Int, width: Int, height: Int) throws(TintypeError) {
        let channels = Double(3 + frame.extraChannelCount) / 3
        let row = Double(width) * channels + Double(50 + 10 * frame.groupColumns)
        cost += Double(count) * (130 + Double(height) * row)
        guard cost <= frame.mostCost else {
            throw .exceeded(.library, "a frame of the JPEG XL has patches that take too long to draw")
        }
        memory += 80 + Double(count) * Double(80 + 30 * frame.extraChannelCount)
    }

    private mutating func skipBlending(_ bits: inout JXLBitReader) throws(TintypeError) {
        let mode = try next(&bits, .mode)
        guard mode < 8 else { throw .unreadableNumbers }
        let (multiplies, usesAlpha) = (mode == 3, mode > 3)
        if usesAlpha, frame.extraChannelCount > 1 { _ = try next(&bits, .alphaChannel) }
        if usesAlpha || multiplies { _ = try next(&bits, .clamps) }
    }
}
