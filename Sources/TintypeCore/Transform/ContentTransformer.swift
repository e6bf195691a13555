/// A transformer that looks at what a picture shows to find out what to keep of it.
///
/// The frames of an animation have one size and must not jump, so for them it looks once, at the first frame.
protocol ContentTransformer: ImageTransformer {
    /// The transformer that does to every picture of this size what this one does to `pixels`.
    func settled(on pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer
}
