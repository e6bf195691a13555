// What the bindings of views need of a pipeline: the steps of a load, one by one.

extension ImagePipeline {
    /// Returns the request after all request interceptors.
    package func intercepted(_ request: ImageRequest) -> ImageRequest { services.intercepted(request) }

    /// Returns the image in memory of a request that the interceptors have already rewritten, even if the load goes on.
    package func imageInMemory(of request: ImageRequest) -> Image? { services.cachedImage(for: request) }

    /// Starts the load of a request that the interceptors have already rewritten, and that memory cannot answer.
    package func startIntercepted(_ request: ImageRequest) -> ImageTask { launch(request) }
}
