extension ImagePipeline {
    /// Tells the caches whether the program shows no image at the moment, for example because its window is hidden.
    /// They then keep only ``CacheLimits/hiddenShare`` of their memory.
    ///
    /// The views of GTK do so after five seconds (`VisibleViews`); other programs call it themselves, on any thread.
    public func setHidden(_ isHidden: Bool) {
        services.configuration.cache.setHidden(isHidden)
    }
}
