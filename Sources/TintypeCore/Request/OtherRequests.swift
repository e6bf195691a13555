/// The requests for the other sources of a request, as the interceptors have rewritten them.
///
/// Each is a request of its own. Further sources that an interceptor adds to it are not loaded. ``PipelineServices``
/// makes them with the request, and every change of the request's key or sources discards them.
struct OtherRequests: Sendable {
    /// The requests for ``ImageRequest/alternatives``, in their order.
    private(set) var substitutes: [ImageRequest]
    /// The request for ``ImageRequest/lowResolution``.
    private(set) var lowResolution: ImageRequest?
    /// The request for ``ImageRequest/lowData``.
    private(set) var lowData: ImageRequest?

    /// Makes the requests for the other sources of a request.
    ///
    /// - Parameter make: Returns the request for one source.
    init(of request: ImageRequest, make: (ImageSource) -> ImageRequest) {
        substitutes = request.alternatives.map(make)
        lowData = request.lowData.map(make)
        lowResolution =
            switch request.lowResolution {
            case .source(let source): make(source)
            case .thumbnail(let box): request.thumbnail(fitting: box)
            case nil: nil
            }
    }

    /// These requests without the one for the low-resolution source.
    var withoutLowResolution: OtherRequests {
        var others = self
        others.lowResolution = nil
        return others
    }

    /// Returns the requests after a change of each.
    func map(_ change: (ImageRequest) -> ImageRequest) -> OtherRequests {
        var others = self
        others.substitutes = substitutes.map(change)
        others.lowResolution = lowResolution.map(change)
        others.lowData = lowData.map(change)
        return others
    }

    /// Distinguishes these requests from those of another load of the same image.
    var keyParts: [String] {
        let keys = substitutes.map(\.key) + [lowResolution?.key, lowData?.key].map { $0 ?? CacheKey(source: "") }
        return keys.flatMap { [$0.source, $0.rendition] }
    }
}

extension ImageRequest {
    /// The request for its ``source`` alone.
    var withoutOtherSources: ImageRequest {
        guard facts.hasOtherSources else { return self }
        return with { request in
            (request.alternatives, request.lowResolution, request.lowData) = ([], nil, nil)
        }
    }

    /// The request without its low-resolution source.
    var withoutLowResolution: ImageRequest {
        guard lowResolution != nil else { return self }
        return with { request in
            let others = request.others?.withoutLowResolution
            request.lowResolution = nil
            request.others = request.facts.hasOtherSources ? others : nil
        }
    }

    /// Returns the request after a change that also applies to the requests for its other sources.
    func changingAll(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
        with { request in
            let others = request.others?.map { $0.with(change) }
            change(&request)
            request.others = others
        }
    }

    /// The request that was made for one of the other sources; `nil` if there is none.
    func otherRequest(for source: ImageSource) -> ImageRequest? {
        guard let others else { return nil }
        let identity = source.identity
        let sources = alternatives + [lowData].compactMap(\.self)
        let requests = others.substitutes + [others.lowData].compactMap(\.self)
        if let index = sources.firstIndex(where: { $0.identity == identity }) { return requests[index] }
        guard case .source(let low) = lowResolution, low.identity == identity else { return nil }
        return others.lowResolution
    }
}

// MARK: - Low resolution

/// An image with fewer pixels that is delivered before the image itself.
public enum LowResolution: Sendable {
    /// Another source, with a cache key of its own.
    case source(ImageSource)
    /// The image decoded to fit into a box, in pixels: from a thumbnail that is embedded in the file, if that is large
    /// enough (``DecodeOptions/EmbeddedThumbnail/whereLargeEnough``). Meant for large local files. No disk cache stores
    /// it.
    ///
    /// Only the transforms that have the same effect at any size are applied: resizes, flips, rotations, circles
    /// without a border, and colour changes. Others are left out, such as crops and padding, whose parameters are in
    /// pixels of the full image.
    case thumbnail(fitting: PixelSize)
}

extension ImageRequest {
    /// Returns the request for ``LowResolution/thumbnail(fitting:)``.
    func thumbnail(fitting box: PixelSize) -> ImageRequest {
        var rendition = rendition
        (rendition.decode.size, rendition.decode.embeddedThumbnail) = (.fit(box), .whereLargeEnough)
        rendition.transforms = rendition.transforms.compactMap(\.forThumbnail)
        return withoutOtherSources.with { request in
            request.rendition = rendition
            request.policy.caching.rendition.disk = .off
            // A preview waits for nothing but its pixels.
            (request.policy.delivery.completion, request.policy.preparation) = (.whenReady, .automatic)
            request.policy.delivery.data = .whenLoaded
        }
    }
}

extension ImageTransformer {
    /// The transformer that has the same visible effect on a thumbnail as this one has on the full image; `nil` if
    /// there is none, because the parameters are in pixels of the full image, or because the effect depends on the
    /// content.
    fileprivate var forThumbnail: (any ImageTransformer)? {
        switch self {
        case is FlipTransformer, is RotateTransformer, is ColorTransformer, is TintTransformer, is FlattenTransformer:
            return self
        case let circle as CircleTransformer: return circle.borderWidth == 0 ? circle : nil
        case var resize as ResizeTransformer:
            guard resize.transformsPreviews else { return nil }
            // Otherwise a thumbnail smaller than the size would keep its shape.
            if resize.mode != .fit { resize.isEnlarging = true }
            return resize
        default: return nil
        }
    }
}
