import Foundation
import TintypeCore

/// Decodes the pictures of one track with libde265, in the calling thread. In order, each is decoded once; another begins
/// at the sync sample before it.
final class HEIFTrackDecoder<Picture> {
    /// Makes of what libde265 has decoded what is kept of it.
    ///
    /// - Parameter place: where it is shown.
    typealias Make = (
        _ decoded: HEVCPicture, _ place: Int, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> Picture

    private let bytes: Data
    private let track: HEIFTrack
    private let stream: HEVCStream
    /// Those from this place on are not asked for.
    private let count: Int
    private let make: Make
    /// The sample that is pushed next.
    private var next = 0
    private var isBegun = false
    private var isEnded = false
    /// Pictures that came before they were asked for.
    private var early: [Int: Picture] = [:]
    /// Those that a stream may hold back (ITU-T H.265, A.4.2).
    private static var mostEarly: Int { 16 }

    /// - Parameter count: how many of its pictures are asked for, from the first that is shown on.
    init(_ bytes: Data, _ track: HEIFTrack, count: Int, _ make: @escaping Make) throws(TintypeError) {
        (self.bytes, self.track, self.count, self.make) = (bytes, track, count, make)
        stream = try HEVCStream(track.size)
    }

    /// - Parameter index: the place at which it is shown.
    func picture(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> Picture {
        if let held = early.removeValue(forKey: index) { return held }
        early = early.filter { $0.key > index }
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
    ) throws(TintypeError) -> Picture? {
        var found: Picture?
        try stream.decode { decoded throws(TintypeError) in
            guard track.samples.indices.contains(decoded.tag) else { return }
            let place = track.shownPlaces[decoded.tag]
            guard place >= index, place < count else { return }
            guard decoded.plane(0)?.size == track.size else {
                throw TintypeError(.undecodable, stage: .decode, "a frame has another size than the HEIC says")
            }
            guard place == index || early.count < Self.mostEarly else { throw .damagedSequence }
            let picture = try make(decoded, place, isCancelled)
            if place == index { found = picture } else { early[place] = picture }
        }
        return found
    }
}
