import TintypeCore

/// The image sequence of a file (ISO/IEC 23008-12, 7): a track of pictures, and one of their alpha where there is such.
struct HEIFSequence {
    let colors: HEIFTrack
    /// Has a picture for each of those.
    let alpha: HEIFTrack?
    /// Whether colours are multiplied by alpha already.
    let isPremultiplied: Bool
    /// Those that have all that belongs to them.
    let frameCount: Int

    /// What a whole file has; `nil` when there is none.
    ///
    /// - Parameter keepsPart: whether the last frames need not be there.
    /// - Throws: ``TintypeError/Code/undecodable``, and ``TintypeError/Code/limitExceeded`` before there is memory for what
    ///   the file promises.
    init?(
        _ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits, keepsPart: Bool = false
    ) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        guard let (track, media) = try file.pictureTrack() else { return nil }
        colors = try HEIFTrack(file, track, media, limits, keepsPart: keepsPart)
        guard let found = try Self.alphaTrack(file, of: track) else {
            (alpha, isPremultiplied, frameCount) = (nil, false, colors.order.count)
            return
        }
        let alpha = try HEIFTrack(file, found.track, found.media, limits, keepsPart: keepsPart)
        guard alpha.size == colors.size, keepsPart || alpha.order.count == colors.order.count else {
            throw TintypeError(
                .undecodable, stage: .decode, "the alpha of a HEIC sequence does not belong to its pictures")
        }
        self.alpha = alpha
        isPremultiplied = try file.references(ofTrack: track, kind: "prem").contains(
            file.identifier(ofTrack: found.track))
        frameCount = min(colors.order.count, alpha.order.count)
    }

    private static func alphaTrack(
        _ file: ISOFile, of track: Range<Int>
    ) throws(TintypeError) -> (track: Range<Int>, media: Range<Int>)? {
        for (track, media) in try file.auxiliaryTracks(of: track) {
            // One of another kind, as of depths, may be coded in any way.
            let isAlpha = try? HEIFSampleEntry(file, inTable: file.sampleTable(ofMedia: media)).isAlpha(file)
            if isAlpha == true { return (track, media) }
        }
        return nil
    }

    var info: ImageInfo {
        var info = colors.info
        info.hasAlpha = alpha != nil
        info.frameCount = frameCount
        info.durations = frameCount > 1 ? Array(info.durations.prefix(frameCount)) : []
        info.loopCount = frameCount > 1 ? info.loopCount : 0
        return info
    }
}
