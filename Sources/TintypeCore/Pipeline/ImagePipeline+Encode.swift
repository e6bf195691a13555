public import Foundation

extension ImagePipeline {
    /// Encodes an image: all frames of an animation if the format supports animations, otherwise ``Image/pixels``.
    ///
    /// Runs on the pixel queue and never blocks the caller. When the calling task is cancelled, the work ends between
    /// two frames, or between two attempts to meet a byte limit.
    ///
    /// - Throws: The errors of `ImageCoderRegistry.encode(_:as:options:)`, and ``TintypeError/Code/cancelled``.
    public nonisolated(nonsending) func encode(
        _ image: Image, as format: ImageFormat, options: EncodeOptions = EncodeOptions(),
        priority: ImagePriority = .normal
    ) async throws(TintypeError) -> Data {
        let (job, coders) = (JobContext(priority: priority), configuration.coders)
        let result = await withTaskCancellationHandler {
            await encodeOnQueue(image, as: format, options, job, coders)
        } onCancel: {
            job.cancel()
        }
        return try result.get()
    }

    private nonisolated(nonsending) func encodeOnQueue(
        _ image: Image, as format: ImageFormat, _ options: EncodeOptions, _ job: JobContext,
        _ coders: ImageCoderRegistry
    ) async -> Result<Data, TintypeError> {
        do throws(TintypeError) {
            return .success(
                try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                    try job.transforming { () throws(TintypeError) in
                        try coders.encode(image, as: format, options: options)
                    }
                })
        } catch {
            return .failure(error)
        }
    }
}
