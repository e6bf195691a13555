import Foundation
import TintypeCore

/// The operator's image for requests that fail: as a whole, and as a source of which it is made as the URL asks for.
struct FallbackImage: Sendable {
    /// The image as it is.
    let whole: ProblemResponse.Fallback
    /// The image as a source; `nil` for bytes that are not decoded.
    let source: SourceImage?

    init(_ whole: ProblemResponse.Fallback, source: SourceImage? = nil) {
        (self.whole, self.source) = (whole, source)
    }
}

extension ImageService {
    /// Returns the image in place of a failure, made with the options of the URL if that is possible: that of the
    /// source which the URL names for failures (`fallback_image_url`), else that of the operator.
    ///
    /// - Parameter url: The URL; `nil` if it is not valid.
    func chooseFallback(
        for failure: Failure, url: ImageURL?, request: ServerRequest
    ) async -> ProblemResponse.Fallback? {
        guard let url, failure.leavesRoomForWork else { return configuration.fallback?.whole }
        if let (source, known) = await fallbackSource(of: url),
            let image = await makeFallback(
                of: source, known: known, as: url, for: request, lifetime: configuration.fallbackLifetime)
        {
            return image
        }
        guard let fallback = configuration.fallback else { return nil }
        guard let source = fallback.source else { return fallback.whole }
        let known = KnownSource(record: source.record, image: source)
        let image = await makeFallback(
            of: url.source, known: known, as: url, for: request, lifetime: fallback.whole.maximumAge)
        return image ?? fallback.whole
    }

    /// Returns the source that a URL names for failures. It obeys the rules for all sources.
    private func fallbackSource(of url: ImageURL) async -> (SourceURL, KnownSource)? {
        guard !url.options.fallbackURL.isEmpty,
            let source = try? configuration.urls.source(named: url.options.fallbackURL)
        else { return nil }
        // The log tells of the request, not of this image.
        var report = ServiceReport()
        let limits = configuration.cacheLimits.limits(for: source.host)
        guard let known = try? await self.source(source, limits, &report) else { return nil }
        return (source, known)
    }

    /// Makes an image of a source with the options of a URL.
    ///
    /// - Returns: `nil` if that fails.
    private func makeFallback(
        of source: SourceURL, known: KnownSource, as url: ImageURL, for request: ServerRequest, lifetime: Int
    ) async -> ProblemResponse.Fallback? {
        let negotiation = Negotiation(
            request.fields, hasFormat: url.options.output.format != nil, settings: configuration.negotiation)
        var options = url.options
        options.output.isRaw = false
        options.watermark = WatermarkOption()
        let format = configuration.formats.format(for: known.record.info, options, accept: negotiation.acceptClass)
        var order = RenditionOrder(
            source, known, options.resolved(for: format), format,
            deadline: TimeSource.system.uptime() + configuration.requestTimeout)
        var report = ServiceReport()
        guard let rendition = try? await rendition(&order, &report) else { return nil }
        return ProblemResponse.Fallback(
            contentType: rendition.format.mediaType, bytes: rendition.data, maximumAge: lifetime)
    }
}

extension Failure {
    /// Whether the failure is one of the source, so that the server can make another image.
    fileprivate var leavesRoomForWork: Bool {
        switch kind {
        case .originRefused, .originFailed, .originTimedOut, .unprocessable: true
        default: false
        }
    }
}
