import TintypeCore

/// The watermark of the operator.
struct Watermark: Sendable {
    /// The pixels, upright.
    let pixels: PixelBuffer
    /// The SHA-256 digest of the file, in hexadecimal: another file makes other renditions.
    let digest: String
}

/// The watermark of one rendition.
enum WatermarkChoice: Sendable {
    /// None: the options ask for none, or there is none.
    case none
    /// That of the operator.
    case configured(Watermark)
    /// An image that the URL names.
    case source(SourceURL, ImageService.KnownSource)

    /// The part of the rendition's key; empty without a watermark.
    var digest: String {
        switch self {
        case .none: ""
        case .configured(let watermark): watermark.digest
        case .source(_, let known): known.record.digest
        }
    }

    /// What is known of the source; `nil` for a watermark that is none.
    var record: SourceRecord? { if case .source(_, let known) = self { known.record } else { nil } }
}

extension ImageService {
    /// The largest watermark, in pixels. It is decoded at its own size.
    private static let maximumWatermarkArea = 4 << 20

    /// Returns the watermark that options ask for. The source that a URL names obeys the rules for all sources.
    func watermark(
        _ options: WatermarkOption, _ report: inout ServiceReport
    ) async throws(Failure) -> WatermarkChoice {
        guard options.opacity > 0 else { return .none }
        guard !options.url.isEmpty else { return configuration.watermark.map { .configured($0) } ?? .none }
        let url: SourceURL
        do throws(ImageURLError) { url = try configuration.urls.source(named: options.url) } catch {
            throw Failure(error)
        }
        return .source(url, try await source(url, configuration.cacheLimits.limits(for: url.host), &report))
    }

    /// Returns the pixels of a watermark whose bytes were loaded; `nil` for none.
    func pixels(of watermark: WatermarkChoice) async throws(Failure) -> PixelBuffer? {
        switch watermark {
        case .none: return nil
        case .configured(let watermark): return watermark.pixels
        case .source(_, let known):
            guard let image = known.image else { return watermarks.value(for: known.record.digest) }
            if let pixels = watermarks.value(for: image.record.digest) { return pixels }
            guard image.record.info.size.area <= Self.maximumWatermarkArea else {
                throw Failure(
                    .unprocessable, code: "limitExceeded", detail: "the watermark has more than 4 megapixels")
            }
            let pixels = try await renderer.pixels(of: image)
            watermarks.store(pixels, for: image.record.digest, cost: pixels.byteCount)
            return pixels
        }
    }
}

extension SourceRecord {
    /// Returns the record for a response that is also made of another source: it is fresh as long as both are.
    func combined(with other: SourceRecord?) -> SourceRecord {
        guard let other else { return self }
        // A statement that is younger than this record counts from this record on, which ends earlier.
        var own = freshness
        let others = other.freshness(at: confirmed)
        own.isStorable = own.isStorable && others.isStorable
        own.isPrivate = own.isPrivate || others.isPrivate
        own.mustRevalidate = own.mustRevalidate || others.mustRevalidate
        // Without a statement, the standard of the operator holds, which may be longer or shorter than what the other
        // says.
        own.remaining = Self.least(own.remaining, others.remaining)
        own.staleWhileRevalidate = Self.least(own.staleWhileRevalidate, others.staleWhileRevalidate)
        own.staleIfError = Self.least(own.staleIfError, others.staleIfError)
        return SourceRecord(
            digest: digest, info: info, byteCount: byteCount, lastModified: lastModified, freshness: own,
            confirmed: confirmed)
    }

    private static func least(_ first: Double?, _ second: Double?) -> Double? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }
}
