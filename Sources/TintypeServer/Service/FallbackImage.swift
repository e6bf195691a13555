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
    /// Returns the image in place of a failure, made with the options of the URL if that is possible.
    ///
    /// - Parameter url: The URL; `nil` if it is not valid.
    func fallback(
        for failure: Failure, _ url: ImageURL?, _ request: ServerRequest
    ) async -> ProblemResponse.Fallback? {
        guard let fallback = configuration.fallback else { return nil }
        guard let source = fallback.source, let url, failure.leavesRoomForWork else { return fallback.whole }
        let negotiation = Negotiation(
            request.fields, hasFormat: url.options.output.format != nil, settings: configuration.negotiation)
        var options = url.options
        options.output.isRaw = false
        options.watermark = WatermarkOption()
        let format = configuration.formats.format(for: source.record.info, options, accept: negotiation.acceptClass)
        var order = RenditionOrder(
            url.source, KnownSource(record: source.record, image: source), options.resolved(for: format), format)
        // The log tells of the request, not of this image.
        var report = ServiceReport()
        guard let rendition = try? await rendition(&order, &report) else { return fallback.whole }
        return ProblemResponse.Fallback(
            contentType: rendition.format.mediaType, bytes: rendition.data, maximumAge: fallback.whole.maximumAge)
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
