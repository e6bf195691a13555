import Foundation

extension ImageLoad {
    /// Decodes bytes on the pixel queue.
    ///
    /// - Parameter delivered: The image that the loader has decoded from the bytes. It is reduced to the options
    ///   instead.
    func decode(
        _ data: Data, _ options: DecodeOptions, delivered: Image? = nil
    ) async throws(TintypeError) -> Image {
        if let delivered {
            return try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                try job.transforming { () throws(TintypeError) in try delivered.reduced(to: options) }
            }
        }
        let decode = blockingDecode(options)
        return try await watch.watch(.decode, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in try decode(data) }
        }
    }

    /// Returns a closure that decodes bytes on the thread that calls it.
    func blockingDecode(_ options: DecodeOptions) -> @Sendable (Data) throws(TintypeError) -> Image {
        var context = DecodeContext(
            options: options, limits: services.configuration.decodeLimits, isCancelled: { [job] in job.isCancelled })
        context.options.scale = request.source.scaleInName
        context.verifiesAllFrames = request.policy.verification == .allFrames
        if services.configuration.coders.separatesOrigins { context.origin = request.source.webOrigin }
        let (coders, time) = (services.configuration.coders, services.configuration.time)
        let name = request.source.name
        return { [context] data throws(TintypeError) in
            try TransformContext(isCancelled: context.isCancelled).run { () throws(TintypeError) in
                let decoder = try coders.decoder(for: data, options: context.options, name: name)
                let spare = SpareThreads(for: decoder, byteCount: data.count)
                var context = context
                context.threads = spare.count
                return try decoder.decodeChecked(data, context: context, time: time)
            }
        }
    }

    /// Decodes incomplete bytes. No cache stores the result, even if the image is complete.
    ///
    /// - Throws: The error of the transfer, if nothing can be shown.
    func salvage(_ bytes: LoadedBytes) async throws(TintypeError) -> ImageResponse {
        let image: Image
        do throws(TintypeError) {
            image = try await decode(bytes.data, request.rendition.decode)
        } catch {
            throw error.isDamage ? bytes.transferFailure ?? error : error
        }
        var response = ImageResponse(
            image: image.dated(received: bytes.received, expires: bytes.expires, isPartial: true), origin: bytes.origin,
            byteCount: bytes.data.count)
        response.transferFailure = bytes.transferFailure
        return response
    }
}

extension Image {
    /// Returns the image that decoding with `options` would have made, by selecting frames, cropping and resizing.
    ///
    /// - Throws: ``TintypeError/Code/notAnimated``, and the errors of the transforms.
    func reduced(to options: DecodeOptions) throws(TintypeError) -> Image {
        if options.frames == .animatedOnly, !isAnimated {
            throw TintypeError(
                .notAnimated, stage: .decode, "the image is not animated, but only animated images were requested")
        }
        let options = try options.resolved(for: info)
        var image = options.frames == .first && isAnimated ? replacing(pixels: pixels) : self
        if let crop = options.crop { image = try image.transformed(by: CropTransformer(to: crop)) }
        if options.size == .noPixels, !image.isAnimated { return try image.withoutPixels() }
        let target = options.size.target(for: image.size)
        guard target != image.size else { return image }
        return try image.transformed(by: ResizeTransformer(to: target, mode: .stretch))
    }
}

extension TintypeError {
    /// Whether the bytes are at fault, so that other bytes may decode.
    var isDamage: Bool { code == .undecodable || code == .decoderCrashed || code == .notAnImage }
}

extension SpareThreads {
    /// Borrows threads for decoding a file, if the library of its format can use them.
    init(for decoder: any ImageDecoder, byteCount: Int) {
        let isInProcess = decoder is any SandboxableImageDecoder
        let formats = isInProcess ? Self.formats : Self.formats.union([.jxl])
        self.init(if: byteCount >= Self.smallestFile && !decoder.formats.isDisjoint(with: formats))
    }

    /// The formats that are coded in parts that can be decoded at once; in workers, JPEG XL too.
    private static let formats: Set<ImageFormat> = [.avif, .heic]
    /// The size of a file, in bytes, from which it takes tens of milliseconds.
    private static let smallestFile = 100_000
}
