public import Foundation

extension ImageCoderRegistry {
    /// The bytes of a picture in a format, no larger and no more than the options allow: resized first, then encoded at the
    /// highest quality that keeps to the number of bytes.
    ///
    /// A limit of bytes costs up to nine encodings.
    ///
    /// - Throws: ``TintypeError/Code/noCoder``; ``TintypeError/Code/encodeFailed`` where no quality is small enough, and
    ///   what the encoder throws.
    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions = EncodeOptions()
    ) throws(TintypeError) -> Data {
        let encoder = try encoder(for: format)
        let size = options.maximumSize.map { pixels.size.fitted(into: $0) } ?? pixels.size
        let sized = try pixels.resampled(to: size, filter: .lanczos3)
        guard let limit = options.maximumByteCount else { return try encoder.encode(sized, as: format, options) }
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        var search = QualitySearch(from: Int((quality * 100).rounded()), limit: limit)
        var found: Data?
        while let percent = search.next {
            var tried = options
            tried.quality = Double(percent) / 100
            let data = try encoder.encode(sized, as: format, tried)
            if search.record(byteCount: data.count) { found = data }
        }
        guard let found else {
            throw TintypeError(
                .encodeFailed, stage: .encode, "no quality makes this picture a \(format) of at most \(limit) bytes")
        }
        return found
    }
}
