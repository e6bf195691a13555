extension ISOFile {
    /// The first track of pictures of a whole file, and its media (ISO/IEC 23008-12, 7); `nil` when there is none.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    package func pictureTrack() throws(TintypeError) -> (track: Range<Int>, media: Range<Int>)? {
        guard let movie = try box("moov", in: 0..<bytes.count) else { return nil }
        for track in try boxes(in: movie.body) where track.kind == "trak" {
            if let media = try box("mdia", in: track.body), try isOfPictures(media.body) {
                return (track.body, media.body)
            }
        }
        return nil
    }

    private func isOfPictures(_ media: Range<Int>) throws(TintypeError) -> Bool {
        let handler = try needed("hdlr", in: media).fullBody
        guard handler.count >= 8 else { throw .damagedBoxes }
        let kind = bytes[handler.lowerBound + 4..<handler.lowerBound + 8]
        return kind.elementsEqual("pict".utf8)
    }
}
