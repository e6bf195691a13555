import Foundation
import Tintype

// The code of the article From Nuke and Kingfisher. `DocumentCodeTests` compares the two.

/// A round avatar of 96 pixels, decoded at this size, that is served for at most a day.
func makeAvatarRequest(for url: URL) -> ImageRequest {
    var request = ImageRequest(url: url, priority: .high)
    request.rendition.decode.size = .cover(PixelSize(width: 96, height: 96))
    request.rendition.transforms = [CircleTransformer()]
    request.policy.caching.timeToLive = .seconds(24 * 3600)
    return request
}
