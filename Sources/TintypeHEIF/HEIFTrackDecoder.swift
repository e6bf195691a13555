import Foundation
import TintypeCore

/// Decodes the images of one track with libde265, on the calling thread.
///
/// In display order, each image is decoded once. Any other access restarts at the nearest earlier sync sample.
///
/// Not thread-safe: use it from one thread at a time.
final class HEIFTrackDecoder<Frame> {
    /// Converts a decoded image, which is valid only during the call, to a frame.
    ///
    /// - Parameter index: The position at which the image is shown.
    typealias Convert = (
        _ image: HEVCImage, _ index: Int, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> Frame

    private let bytes: Data
    private let track: HEIFTrack
    private let decoder: HEVCDecoder
    /// Frames at and after this position are never requested.
    private let count: Int
    private let convert: Convert
    /// The sample that is pushed next.
    private var nextSample = 0
    private var hasPushedParameterSets = false
    private var hasEnded = false
    /// Frames that were decoded before they were requested.
    private var earlyFrames: [Int: Frame] = [:]

    /// The number of images that a stream may decode before an image but show after it (ITU-T H.265, A.4.2).
    private static var maximumEarlyFrames: Int { 16 }

    /// Creates a decoder for one track of a file.
    ///
    /// - Parameter count: The number of frames that may be requested, from the first one in display order.
    init(_ bytes: Data, _ track: HEIFTrack, count: Int, _ convert: @escaping Convert) throws(TintypeError) {
        (self.bytes, self.track, self.count, self.convert) = (bytes, track, count, convert)
        decoder = try HEVCDecoder(size: track.codedSize)
    }

    /// Returns the frame at a position in display order.
    ///
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.cancelled`; any error of the conversion.
    func frame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> Frame {
        if let early = earlyFrames.removeValue(forKey: index) { return early }
        earlyFrames = earlyFrames.filter { $0.key > index }
        let sample = track.displayOrder[index]
        let start = track.syncSample(before: sample)
        if !hasPushedParameterSets || sample < nextSample || start > nextSample || hasEnded { restart(at: start) }
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            if !hasPushedParameterSets { try pushParameterSets(raw) }
            while true {
                guard !isCancelled() else { throw .cancelled }
                guard !hasEnded else { throw .damagedSequence }
                try pushNextSample(raw)
                if let frame = try decodePushed(for: index, isCancelled) { return frame }
            }
        }
    }

    private func restart(at sample: Int) {
        if hasPushedParameterSets { decoder.reset() }
        (nextSample, hasPushedParameterSets, hasEnded) = (sample, false, false)
        earlyFrames = [:]
    }

    // MARK: Input

    private func pushParameterSets(_ raw: UnsafeRawBufferPointer) throws(TintypeError) {
        for set in track.parameterSets { try decoder.push(UnsafeRawBufferPointer(rebasing: raw[set]), tag: -1) }
        hasPushedParameterSets = true
    }

    private func pushNextSample(_ raw: UnsafeRawBufferPointer) throws(TintypeError) {
        guard nextSample < track.samples.count else {
            hasEnded = true
            return try decoder.endStream()
        }
        let units = UnsafeRawBufferPointer(rebasing: raw[track.samples[nextSample].range])
        try decoder.push(units: units, lengthSize: track.lengthSize, tag: nextSample)
        decoder.endFrame()
        nextSample += 1
    }

    // MARK: Output

    /// Decodes what was pushed; returns the frame at `index` if it came, and keeps later ones.
    private func decodePushed(
        for index: Int, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> Frame? {
        var requested: Frame?
        try decoder.decode(isCancelled: isCancelled) { image throws(TintypeError) in
            guard track.samples.indices.contains(image.tag) else { return }
            let position = track.displayIndices[image.tag]
            guard position >= index, position < count else { return }
            guard image.plane(0)?.size == track.codedSize else {
                throw TintypeError(
                    .undecodable, stage: .decode, "a frame of the HEIC sequence differs in size from its track")
            }
            guard position == index || earlyFrames.count < Self.maximumEarlyFrames else { throw .damagedSequence }
            let frame = try convert(image, position, isCancelled)
            if position == index { requested = frame } else { earlyFrames[position] = frame }
        }
        return requested
    }
}
