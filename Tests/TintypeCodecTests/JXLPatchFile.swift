import Foundation
import TintypeCore

/// A file whose first frame is drawn into the next ones several times, always in the corner.
struct JXLPatchFile {
    var size = PixelSize(width: 100, height: 100)
    var patch = PixelSize(width: 1, height: 1)
    /// The size of the first frame; that of the patch by default.
    var hiddenFrame: PixelSize?
    var count = 1
    var extraChannelCount = 0
    /// The number of frames into which it is drawn.
    var frameCount = 1
    /// How far the second of two places is to the left of the first one, and above it: 0 or 1 pixels.
    var step = (left: 0, up: 0)
    /// How far the sections of these frames are cut off.
    var missingByteCount = 0

    /// Prefix codes of one or two symbols; the symbol is the bit length of the number, and its lowest bits follow.
    private static func symbol(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }

    /// Appends a side of less than 2304 pixels.
    private static func appendSide(_ side: Int, to bits: inout JXLBitWriter) {
        if side < 256 { bits.append(0, 2, side, 8) } else { bits.append(1, 2, side - 256, 11) }
    }

    private static func appendAlphabet(_ largest: Int, to bits: inout JXLBitWriter) {
        guard largest > 0 else { return bits.append(0, 1) }
        let length = symbol(largest) - 1
        bits.append(1, 1)
        bits.append(length, 4, largest - 1 << length, length)
    }

    private static func appendLowBits(of number: Int, to bits: inout JXLBitWriter) {
        guard number > 0 else { return }
        let length = symbol(number) - 1
        bits.append(number - 1 << length, length)
    }

    /// Every pixel is black: one code whose only symbol is zero.
    private static func appendPixels(to bits: inout JXLBitWriter) {
        for (value, length) in [(1, 1), (1, 1), (0, 1), (1, 1), (0, 2), (1, 1), (0, 4), (0, 1)] {
            bits.append(value, length)
        }
        for (value, length) in [(0, 1), (1, 1), (0, 4), (0, 1), (1, 1), (1, 1), (0, 2)] { bits.append(value, length) }
    }

    private func appendPatches(to bits: inout JXLBitWriter) {
        bits.append(0, 1)
        bits.append(1, 1, 3, 2)
        // The codes of the ten kinds of numbers: 0, 1, the width and height, the count, 0 or 1. As an offset, 1 stands for −1.
        let moves = step != (0, 0)
        for code in [1, 1, 2, 0, 0, 0, moves ? 4 : 0, 3, 0, 0] { bits.append(code, 3) }
        bits.append(1, 1)
        for _ in 0..<(moves ? 5 : 4) { bits.append(0, 4) }
        let (sides, count) = ([patch.width - 1, patch.height - 1], self.count - 1)
        let symbols = Set(sides.map(Self.symbol)).sorted()
        for largest in [0, 1, symbols[symbols.count - 1], Self.symbol(count)] + (moves ? [1] : []) {
            Self.appendAlphabet(largest, to: &bits)
        }
        for code in [[1], symbols, [Self.symbol(count)]] + (moves ? [[0, 1]] : []) where code != [0] {
            let length = Self.symbol(code[code.count - 1])
            bits.append(1, 2, code.count - 1, 2)
            for symbol in code { bits.append(symbol, length) }
        }
        for side in sides {
            if symbols.count == 2 { bits.append(Self.symbol(side) == symbols[0] ? 0 : 1, 1) }
            Self.appendLowBits(of: side, to: &bits)
        }
        Self.appendLowBits(of: count, to: &bits)
        if moves { bits.append(step.left, 1, step.up, 1) }
    }

    private func appendImageHeader(to bits: inout JXLBitWriter) {
        bits.append(0x0AFF, 16)
        bits.append(0, 1)
        bits.append(1, 2, size.height - 1, 13)
        bits.append(0, 3)
        bits.append(1, 2, size.width - 1, 13)
        guard extraChannelCount > 0 else { return bits.append(0b11, 2) }
        for (value, length) in [(0, 1), (0, 1), (0, 1), (0, 2), (1, 1)] { bits.append(value, length) }
        bits.append(2, 2, extraChannelCount - 2, 4)
        for _ in 0..<extraChannelCount { bits.append(1, 1) }
        for (value, length) in [(1, 1), (1, 1), (0, 2), (1, 1)] { bits.append(value, length) }
    }

    /// Appends the header of a frame without transforms, and its only section.
    private func append(_ section: Data, isReference: Bool, isLast: Bool, to bits: inout JXLBitWriter) {
        bits.align()
        bits.append(0, 1)
        bits.append(isReference ? 2 : 0, 2)
        bits.append(1, 1)
        if isReference { bits.append(0, 2) } else { bits.append(1, 2, 1, 4) }
        for _ in 0...extraChannelCount { bits.append(0, 2) }
        bits.append(3, 2)
        if isReference {
            bits.append(1, 1)
            let hiddenFrame = hiddenFrame ?? patch
            Self.appendSide(hiddenFrame.width, to: &bits)
            Self.appendSide(hiddenFrame.height, to: &bits)
            bits.append(1, 2, 1, 1)
        } else {
            bits.append(0, 3)
            for _ in 0...extraChannelCount { bits.append(0, 2) }
            bits.append(isLast ? 1 : 0, 1)
            // Kept under index 0, in the colours of the file.
            if !isLast { bits.append(0, 3) }
        }
        for (value, length) in [(0, 2), (1, 1), (0, 2), (0, 1)] { bits.append(value, length) }
        bits.align()
        bits.append(0, 2, section.count, 10)
        bits.align()
        for byte in section { bits.append(Int(byte), 8) }
    }

    var data: Data {
        var (file, pixels, patches) = (JXLBitWriter(), JXLBitWriter(), JXLBitWriter())
        Self.appendPixels(to: &pixels)
        appendPatches(to: &patches)
        Self.appendPixels(to: &patches)
        appendImageHeader(to: &file)
        append(pixels.bytes, isReference: true, isLast: false, to: &file)
        for index in 1...frameCount {
            let section = patches.bytes.dropLast(missingByteCount)
            append(section, isReference: false, isLast: index == frameCount, to: &file)
        }
        return file.bytes
    }
}
