extension ImageRequest {
    /// The same request after a change: what the methods below are made of, for settings that have none.
    public func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
        var request = self
        change(&request)
        return request
    }

    // MARK: Which pixels

    /// Decoded to fit into a box, in pixels, keeping the aspect ratio; a side of 0 does not limit.
    public func fitting(width: Int = 0, height: Int = 0) -> ImageRequest {
        decoded(.fit(PixelSize(width: width, height: height)))
    }

    /// Decoded to this size, in pixels.
    public func decoded(_ size: DecodeOptions.Size) -> ImageRequest {
        with { $0.rendition.decode.size = size }
    }

    /// All frames of an animated picture, or the first alone.
    public func frames(_ frames: DecodeOptions.Frames) -> ImageRequest {
        with { $0.rendition.decode.frames = frames }
    }

    /// Transformed by these, too, after those that there are.
    public func transformed(by transforms: any ImageTransformer..., scope: TransformScope = []) -> ImageRequest {
        with {
            $0.rendition.transforms += transforms
            $0.rendition.transformScope.formUnion(scope)
        }
    }

    // MARK: How they may be got

    /// Content with what a cache has, or not: see ``LoadPolicy/Freshness``.
    public func freshness(_ freshness: LoadPolicy.Freshness) -> ImageRequest {
        with { $0.policy.freshness = freshness }
    }

    /// Tried again after a failure, or not: see ``LoadPolicy/Failures``.
    public func failures(_ failures: LoadPolicy.Failures) -> ImageRequest {
        with { $0.policy.failures = failures }
    }

    /// Shown while its bytes arrive, or not: see ``LoadPolicy/Previews``.
    public func previews(_ previews: LoadPolicy.Previews) -> ImageRequest {
        with { $0.policy.previews = previews }
    }

    /// Looked up and kept by these rules; what is `nil` stays as it was.
    public func cached(rendered: CacheRules? = nil, original: CacheRules? = nil) -> ImageRequest {
        with {
            $0.policy.rendered = rendered ?? $0.policy.rendered
            $0.policy.original = original ?? $0.policy.original
        }
    }

    /// Tried in this order when the first source cannot be loaded.
    public func orElse(_ alternatives: ImageSource...) -> ImageRequest {
        with { $0.alternatives += alternatives }
    }

    // MARK: How soon, and with what

    /// As urgent as this.
    public func priority(_ priority: ImagePriority) -> ImageRequest {
        with { $0.priority = priority }
    }

    /// With these overrides in the place of the pipeline's.
    public func overrides(_ overrides: RequestOverrides) -> ImageRequest {
        with { $0.overrides = overrides }
    }
}
