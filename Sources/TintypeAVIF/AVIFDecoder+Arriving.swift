import CLibAVIF
public import Foundation
public import TintypeCore

/// Frames of a sequence are shown as they arrive, if the file tells of them before their data: those of libavif do. A still
/// picture is not shown before its end.
extension AVIFDecoder: ProgressiveAnimationDecoder {
    public func arrivedFrames(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        guard let info = try arrivedInfo(bytes, context.limits) else { return nil }
        let decoder = try AVIFFrameDecoder(bytes, arrived: info.frameCount, context.limits)
        return ArrivedFrames(info: info, decoder: decoder)
    }

    private func arrivedInfo(_ bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                let reader = try AVIFReader(raw, isComplete: false, limits)
                var info = try ImageInfo(reader)
                guard info.frameCount > 1 else { return nil }
                info.frameCount = reader.arrivedFrameCount(raw.count)
                info.durations = Array(info.durations.prefix(info.frameCount))
                return info.frameCount > 0 ? info : nil
            }
        } catch {
            // libavif has no word for bytes that end too early in each place where they may.
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}

extension AVIFReader {
    /// How many of the first frames can be decoded of so many bytes, in a file whose frames lie one after the other.
    fileprivate func arrivedFrameCount(_ byteCount: Int) -> Int {
        // To tell where one ends takes as long as there are frames since the last key frame: few are asked for.
        var (count, end) = (0, frameCount)
        while count < end {
            let middle = (count + end) / 2
            if isFrameThere(middle, byteCount) { count = middle + 1 } else { end = middle }
        }
        return count
    }

    private func isFrameThere(_ index: Int, _ byteCount: Int) -> Bool {
        var extent = avifExtent()
        guard avifDecoderNthImageMaxExtent(decoder, UInt32(index), &extent) == AVIF_RESULT_OK else { return false }
        let (end, overflows) = extent.offset.addingReportingOverflow(UInt64(extent.size))
        return !overflows && end <= UInt64(byteCount)
    }
}
