import Foundation
import Tintype

// The code of the articles The path of a request, and Caching and HTTP. `DocumentCodeTests` compares the two.

/// Returns a request for a photo that shows what is there from the first moment on.
func makePhotoRequest(
    for photo: URL, withFewerPixelsAt small: URL, shownInListBy cell: ImageRequest, in pipeline: ImagePipeline
) -> ImageRequest {
    var request = ImageRequest(url: photo)
    request.policy.delivery.previews = .progressive
    request.placeholderKey = pipeline.cacheKey(for: cell)
    request.lowResolution = .source(.url(small))
    request.policy.delivery.previewStorage = .memory
    return request
}

/// Asks a service for the URL of the image that a `photo:` URL names. Caches know the image by its `photo:` URL.
struct PhotoResolver: AsyncRequestInterceptor {
    let resolve: @Sendable (URL) async throws(TintypeError) -> URL

    @concurrent func intercept(_ request: ImageRequest) async throws(TintypeError) -> InterceptedRequest {
        guard let url = request.source.url, url.scheme == "photo" else { return .load(request) }
        var resolved = request
        resolved.source = .url(try await resolve(url))
        // After the source, which resets it.
        resolved.identity = request.identity ?? request.source.identity
        return .load(resolved)
    }
}

/// Returns the HTTP settings of a program for laptops: it waits for a network, and keeps its cookies.
func makeDownloaderSettings(
    cookies: URL, token: String, for origin: URL
) throws(TintypeError) -> DownloaderConfiguration {
    var downloader = DownloaderConfiguration()
    downloader.retry = RetryPolicy(maximumAttempts: 3)
    downloader.reconnection = { try await NetworkMonitor.shared.waitUntilConnected() }
    downloader.cookies = try CookieStore(file: cookies)
    downloader.credentials = [origin: .bearer(token)]
    return downloader
}
