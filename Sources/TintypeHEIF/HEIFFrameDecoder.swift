import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an image sequence. In order, each is decoded once; another begins at the sync sample before it.
///
/// `@unchecked Sendable` because libde265's decoder and what it has made are used by one thread at a time: that is the
/// promise of ``FrameDecoder``.
final class HEIFFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    private let bytes: Data
    private let track: HEIFTrack
    private let stream: HEVCStream
    private let converter: WideConverter
    /// The sample that is pushed next.
    private var next = 0
    private var isBegun = false
    private var isEnded = false
    /// Frames that came before they were asked for; no more than a stream may hold back (ITU-T H.265, A.4.2).
    private var early: [Int: PixelBuffer] = [:]

    init(_ bytes: Data, _ track: HEIFTrack, _ limits: DecodeLimits) throws(TintypeError) {
        (self.bytes, self.track, canvasSize, loopCount) = (bytes, track, track.size, track.playCount)
        let rect = PixelRect(x: 0, y: 0, size: track.size)
        frames = track.durations.map { AnimationFrame(rect: rect, duration: $0, blend: .source, hasAlpha: false) }
        try limits.check(frames, canvas: track.size)
        stream = try HEVCStream(track.size)
        converter = WideConverter(track.description.colors ?? .standard, .rgb)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        if let held = early.removeValue(forKey: index) { return held }
        let wanted = track.order[index]
        let start = track.syncSample(before: wanted)
        if !isBegun || wanted < next || start > next || isEnded { begin(at: start) }
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            if !isBegun { try pushParameterSets(raw) }
            while true {
                guard !isCancelled() else { throw .cancelled }
                guard !isEnded else { throw .damagedSequence }
                try pushNext(raw)
                if let found = try decoded(index, isCancelled) { return found }
            }
        }
    }

    private func begin(at sample: Int) {
        if isBegun { stream.reset() }
        (next, isBegun, isEnded) = (sample, false, false)
        early = [:]
    }

    // MARK: Into the decoder

    private func pushParameterSets(_ raw: UnsafeRawBufferPointer) throws(TintypeError) {
        for place in track.parameterSets { try stream.push(UnsafeRawBufferPointer(rebasing: raw[place]), tag: -1) }
        isBegun = true
    }

    private func pushNext(_ raw: UnsafeRawBufferPointer) throws(TintypeError) {
        guard next < track.samples.count else {
            isEnded = true
            return try stream.endStream()
        }
        let file = ISOFile(bytes: raw)
        let sample = track.samples[next].place
        var place = sample.lowerBound
        while place < sample.upperBound {
            let length = try file.number(at: place, size: track.lengthSize, in: sample)
            place += track.lengthSize
            guard length > 0, length <= sample.upperBound - place else { throw .damagedSequence }
            try stream.push(UnsafeRawBufferPointer(rebasing: raw[place..<place + length]), tag: next)
            place += length
        }
        stream.endPicture()
        next += 1
    }

    // MARK: Out of it

    private func decoded(
        _ index: Int, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer? {
        var found: PixelBuffer?
        try stream.decode { picture throws(TintypeError) in
            guard track.samples.indices.contains(picture.tag) else { return }
            let place = track.shownPlaces[picture.tag]
            guard place >= index else { return }
            let pixels = try pixels(of: picture, isCancelled)
            if place == index { found = pixels } else { early[place] = pixels }
        }
        return found
    }

    private func pixels(
        of picture: HEVCPicture, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let description = track.description
        guard
            let colors = HEVCColors(
                picture, matrix: description.matrix ?? picture.matrix,
                isFullRange: description.isFullRange ?? picture.isFullRange),
            picture.plane(0)?.size == canvasSize
        else { throw TintypeError(.undecodable, stage: .decode, "a frame has another size than the HEIC says") }
        let whole = DecodeTarget(whole: canvasSize, size: canvasSize)
        let rows = WideRows(canvasSize, whole, converter, DecodeContext(isCancelled: isCancelled))
        let length = canvasSize.width * 4
        return try rows.picture { (first, count, words) in
            for y in 0..<count {
                colors.read(first + y, UnsafeMutableBufferPointer(rebasing: words[y * length..<(y + 1) * length]))
            }
        }.pixels
    }
}
