/// How an ``ImagePrefetcher`` works.
public struct PrefetchSettings: Sendable {
    /// Where the pictures should be afterwards.
    public enum Destination: Hashable, Sendable {
        /// On disk. Pixels are not kept, and of an original no more are made than it takes to see that it is a picture.
        case disk
        /// In memory, ready to show, and on disk.
        case memory
    }

    /// How far its pictures go.
    public var destination: Destination
    /// How many pictures are loaded at once.
    public var concurrency: Int
    /// The priority of pictures that no one else waits for.
    public var priority: ImagePriority

    public init(destination: Destination = .memory, concurrency: Int = 3, priority: ImagePriority = .veryLow) {
        self.destination = destination
        self.concurrency = concurrency
        self.priority = priority
    }
}

extension PrefetchSettings {
    /// The request that brings a picture where it should be.
    func request(for request: ImageRequest) -> ImageRequest {
        var request = request
        request.priority = priority
        guard destination == .disk else { return request }
        request.policy.rendered.memory = .off
        if request.key.isOriginal {
            // Only what decodes is stored; decoding to a few pixels tells that as well, and costs less.
            request.rendition.decode.size = .fit(PixelSize(width: 32, height: 32))
            request.policy.rendered.disk = .off
        }
        return request
    }
}
