import Foundation

/// The pictures of one batch: made into requests only when their turn comes, so that a long list costs no more than its
/// own memory, which it shares with the caller's.
enum PrefetchItems: Sendable {
    case urls([URL], as: ImageRequest?)
    case requests([ImageRequest])

    var count: Int {
        switch self {
        case .urls(let urls, _): urls.count
        case .requests(let requests): requests.count
        }
    }

    func request(at index: Int) -> ImageRequest {
        switch self {
        case .urls(let urls, nil): return ImageRequest(url: urls[index])
        case .urls(let urls, .some(var request)):
            request.source = .url(urls[index])
            return request
        case .requests(let requests): return requests[index]
        }
    }
}
