extension Image {
    /// Returns this image with a transformer applied. For an animation, the transformer is applied to each frame on
    /// demand.
    ///
    /// The result has ``highRange`` if this image has it and the transformer keeps it.
    ///
    /// - Throws: The errors of the transformer.
    public func transformed(by transformer: any ImageTransformer) throws(TintypeError) -> Image {
        guard let animation else {
            let result = try transformer.transform(pixels)
            guard let highRange else { return replacing(pixels: result) }
            return replacing(
                pixels: result, highRange: try transformer.transform(highRange, of: pixels, to: result))
        }
        let transformed = try animation.transformed(by: transformer)
        return Image(
            pixels: transformed.poster, info: info, scale: scale, received: received, expires: expires,
            animation: transformed, isPartial: isPartial, exif: exif, metadata: metadata)
    }
}
