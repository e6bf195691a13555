extension ImageLoad {
    /// The rendition made of a larger one in memory, where the request allows that.
    ///
    /// Not kept: its pixels may differ a little from those that the key names.
    func largerVariant(_ job: JobContext) async throws(TintypeError) -> ImageResponse? {
        guard request.policy.variants == .larger, request.policy.reads(request.policy.rendered.memory),
            request.rendition.transforms.isEmpty, given == nil
        else { return nil }
        guard let (larger, target) = largerImage(than: request.rendition.decode) else { return nil }
        let image = try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            try job.transforming { () throws(TintypeError) in
                try larger.transformed(by: ResizeTransformer(to: target, mode: .stretch))
            }
        }
        return ImageResponse(image: image, origin: .memory)
    }

    /// The smallest picture in memory that will do, and the size to bring it to.
    private func largerImage(than wanted: DecodeOptions) -> (Image, PixelSize)? {
        let candidates = services.variants.withLock { $0.variants(of: request.key.source) }
        for candidate in candidates where candidate.canBecome(wanted) {
            if let image = cache.image(for: candidate.key) { return (image, candidate.target(of: wanted)) }
        }
        return nil
    }

    /// Notes that memory has this picture, for smaller ones to be made of.
    func noteVariant(_ image: Image) {
        // A source that holds its bytes would cost as much as they in the table, and nothing to decode again.
        guard !image.isPartial, request.rendition.transforms.isEmpty, request.source.expectedOrigin != .data else {
            return
        }
        let variant = Variant(
            key: request.key, decode: request.rendition.decode, size: image.size, full: image.info.size)
        services.variants.withLock { $0.note(variant) }
    }
}
