// Methods that return a changed copy of a request, so that calls can be chained.

extension ImageRequest {
    /// Returns a copy with any change. Use it for settings that have no method of their own.
    ///
    /// - Parameter change: Changes the copy in place.
    public func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
        var request = self
        change(&request)
        return request
    }

    // MARK: Rendition

    /// Returns a copy that decodes to fit into a box, keeping the aspect ratio.
    ///
    /// - Parameters:
    ///   - width: The largest width in pixels; 0 does not limit it.
    ///   - height: The largest height in pixels; 0 does not limit it.
    public func fitting(width: Int = 0, height: Int = 0) -> ImageRequest {
        decoded(.fit(PixelSize(width: width, height: height)))
    }

    /// Returns a copy that decodes to a size: see ``DecodeOptions/Size``.
    package func decoded(_ size: DecodeOptions.Size) -> ImageRequest {
        with { $0.rendition.decode.size = size }
    }

    /// Returns a copy that decodes all frames of an animated image, or only the first.
    package func frames(_ frames: DecodeOptions.Frames) -> ImageRequest {
        with { $0.rendition.decode.frames = frames }
    }

    /// Returns a copy with additional transforms after those of this request.
    ///
    /// - Parameters:
    ///   - transforms: The transforms in the order of application.
    ///   - scope: Kinds of images to add to the scope of all transforms of the request.
    public func transformed(by transforms: any ImageTransformer..., scope: Set<TransformScope> = []) -> ImageRequest {
        with {
            $0.rendition.transforms += transforms
            $0.rendition.transformScope.formUnion(scope)
        }
    }

    // MARK: Policy

    /// Returns a copy with a freshness policy: see ``LoadPolicy/Freshness``.
    package func freshness(_ freshness: LoadPolicy.Freshness) -> ImageRequest {
        with { $0.policy.freshness = freshness }
    }

    /// Returns a copy that respects or ignores remembered failures: see ``LoadPolicy/FailureMemoryUse``.
    package func failureMemory(_ use: LoadPolicy.FailureMemoryUse) -> ImageRequest {
        with { $0.policy.failureMemory = use }
    }

    /// Returns a copy with or without previews: see ``LoadPolicy/Previews``.
    package func previews(_ previews: LoadPolicy.Previews) -> ImageRequest {
        with { $0.policy.delivery.previews = previews }
    }

    /// Returns a copy with other cache rules.
    ///
    /// - Parameters:
    ///   - rendition: The rules for the rendition; `nil` leaves them unchanged.
    ///   - original: The rules for the original; `nil` leaves them unchanged.
    package func cached(rendition: CacheRules? = nil, original: CacheRules? = nil) -> ImageRequest {
        with {
            $0.policy.caching.rendition = rendition ?? $0.policy.caching.rendition
            $0.policy.caching.original = original ?? $0.policy.caching.original
        }
    }

    /// Returns a copy with additional sources, tried in this order if the first one fails.
    package func orElse(_ alternatives: ImageSource...) -> ImageRequest {
        with { $0.alternatives += alternatives }
    }

    /// Returns a copy that delivers a source with fewer pixels first: see ``lowResolution``.
    package func lowResolutionFirst(_ source: ImageSource) -> ImageRequest {
        with { $0.lowResolution = .source(source) }
    }

    /// Returns a copy that delivers a thumbnail of the same source first: see ``LowResolution/thumbnail(fitting:)``.
    ///
    /// - Parameters:
    ///   - width: The largest width in pixels; 0 does not limit it.
    ///   - height: The largest height in pixels; 0 does not limit it.
    package func thumbnailFirst(width: Int = 0, height: Int = 0) -> ImageRequest {
        with { $0.lowResolution = .thumbnail(fitting: PixelSize(width: width, height: height)) }
    }

    /// Returns a copy that delivers an image in memory first: see ``placeholderKey``.
    package func placeholder(_ key: CacheKey) -> ImageRequest {
        with { $0.placeholderKey = key }
    }

    // MARK: Priority and overrides

    /// Returns a copy with a priority.
    package func priority(_ priority: ImagePriority) -> ImageRequest {
        with { $0.priority = priority }
    }

    /// Returns a copy with components that replace those of the pipeline.
    package func overrides(_ overrides: RequestOverrides) -> ImageRequest {
        with { $0.overrides = overrides }
    }
}
