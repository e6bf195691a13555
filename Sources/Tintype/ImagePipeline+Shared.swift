public import TintypeCore

extension ImagePipeline {
    /// The pipeline for a program that needs no other: standard parts, caches in the user's cache directory.
    public static let shared = ImagePipeline(.standard())
}
