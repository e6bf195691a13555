import CTintypeJPEG
import Foundation
import TintypeColor
import TintypeCore

/// A large JPEG with restart markers, whose strips are decoded at once on threads that would idle.
///
/// A strip is decoded as a file of its own, together with a row of MCUs on either side, from which libjpeg interpolates
/// colours: the pixels are those of the whole file. What is damaged or unusual is left to the usual reader.
struct JPEGStrips {
    private let restarts: JPEGRestarts
    private let file: JPEGFile
    private let eighths: Int
    private let context: DecodeContext

    /// Decodes a whole file, and returns the pixels resampled to the plan's target and turned upright.
    ///
    /// - Returns: `nil` if the file has no restart markers, is small or damaged, or if no thread idles.
    /// - Throws: `TintypeError.Code.cancelled`, `TintypeError.Code.outOfMemory` for the resampled image.
    static func decode(
        _ raw: UnsafeRawBufferPointer, _ file: JPEGFile, _ plan: JPEGPlan, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        guard plan.target.part.size == plan.stored, !file.header.needs_coefficients,
            context.limits.allowsMemory(
                bytesPerPixel: JPEGPreviewReader.bytesPerPixel, of: plan.outputSize, other: Double(raw.count)),
            let output = try output(of: raw, file, plan, context)
        else { return nil }
        return try plan.upright(output, filter: .lanczos3)
    }

    /// What libjpeg puts out, on borrowed threads.
    private static func output(
        of raw: UnsafeRawBufferPointer, _ file: JPEGFile, _ plan: JPEGPlan, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        let threads = SpareThreads(forBytes: plan.stored.area * PixelBuffer.bytesPerPixel)
        guard threads.count > 1, let restarts = JPEGRestarts(raw),
            restarts.rowCount >= leastGain * threads.count * (restarts.rowsPerStart + 1)
        else { return nil }
        let strips = JPEGStrips(restarts: restarts, file: file, eighths: plan.eighths, context: context)
        return try strips.decoded(plan.outputSize, on: threads)
    }

    /// A strip, but for the last one, is at least so many times as long as what is decoded around it in vain.
    private static let leastGain = 4

    /// Decodes all strips. `nil` if that fails: the usual reader needs less memory, and tells what is damaged, and
    /// whether that is tolerated.
    private func decoded(
        _ size: PixelSize, on threads: borrowing SpareThreads
    ) throws(TintypeError) -> PixelBuffer? {
        guard var writer = try? PixelWriter(size: size) else { return nil }
        let stride = writer.bytesPerRow
        let failure = Locked<TintypeError?>(nil)
        let strips = Strips(of: restarts.rowCount, bytesPerRow: stride, parts: threads.count)
        try writer.withRows(from: 0) { pixels throws(TintypeError) in
            try strips.forEach(on: threads) { rows, _ in
                do throws(TintypeError) {
                    try decode(rows, of: size, into: pixels, stride: stride)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        guard let failure = failure.withLock({ $0 }) else { return writer.finish() }
        if failure.code == .cancelled { throw failure }
        return nil
    }

    /// Decodes the rows of MCUs of a strip.
    private func decode(
        _ rows: Range<Int>, of size: PixelSize, into pixels: UnsafeMutableRawBufferPointer, stride: Int
    ) throws(TintypeError) {
        let first = max(0, rows.lowerBound - 1) / restarts.rowsPerStart * restarts.rowsPerStart
        let bytes = restarts.file(first..<min(rows.upperBound + 1, restarts.rowCount))
        let height = restarts.rowHeight(eighths: eighths)
        let range = rows.lowerBound * height..<min(rows.upperBound * height, size.height)
        let space = UnsafeMutableRawBufferPointer(
            rebasing: pixels[range.lowerBound * stride..<range.upperBound * stride])
        try bytes.withTypedBytes { bytes throws(TintypeError) in
            // A thread has a converter of its own.
            let converter = file.converter
            let reader = try JPEGReader(context)
            guard try reader.open(bytes, isComplete: true) != nil else { throw TintypeError(.truncated, "") }
            if converter?.isCMYK == true { reader.outputCMYK() }
            guard try reader.start(eighths: eighths).width == size.width else { throw TintypeError(.corrupt, "") }
            // The rows before the strip are overwritten by its own.
            var left = (rows.lowerBound - first) * height
            while left > 0 {
                let count = min(left, range.count)
                try read(count, reader, into: space, stride: stride)
                left -= count
            }
            try read(range.count, reader, into: space, stride: stride)
            converter?.convert(space, count: range.count, width: size.width, stride: stride)
            if rows.upperBound == restarts.rowCount { _ = try reader.finish() }
        }
    }

    /// Reads exactly `count` rows.
    private func read(
        _ count: Int, _ reader: borrowing JPEGReader, into rows: UnsafeMutableRawBufferPointer, stride: Int
    ) throws(TintypeError) {
        guard try reader.readRows(count, into: rows, stride: stride) == count else {
            throw TintypeError(.truncated, "")
        }
    }
}
