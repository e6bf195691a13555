import Tintype

/// A pipeline whose loads end with `TintypeError.Code.cancelled` when the user interrupts the command.
///
/// Encoding and writing are not loads: images that have been loaded are finished.
struct InterruptiblePipeline: Sendable {
    let pipeline: ImagePipeline
    let interruption: Interruption

    init(_ pipeline: ImagePipeline, until interruption: Interruption) {
        (self.pipeline, self.interruption) = (pipeline, interruption)
        interruption.whenRequested { pipeline.cancelAll() }
    }

    var configuration: PipelineConfiguration { pipeline.configuration }

    /// Loads an image.
    ///
    /// - Parameters:
    ///   - name: The name of the load on the display.
    ///   - display: Shows the progress of the load while it runs.
    func response(
        for request: ImageRequest, showing name: String = "", on display: ProgressDisplay? = nil
    ) async throws(TintypeError) -> ImageResponse {
        let task = pipeline.start(request)
        // An interruption cancels the loads that are running when it is requested. This load may have begun later.
        if interruption.isRequested { task.cancel() }
        // A cancelled caller stops waiting at once, and the load is no longer needed.
        defer { if Task.isCancelled { task.cancel() } }
        let number = display?.beginLoad(name) { task.progress }
        defer { if let number { display?.endLoad(number) } }
        return try await task.response
    }

    func image(for request: ImageRequest) async throws(TintypeError) -> Image { try await response(for: request).image }

    /// Waits until the caches are written. That they cannot be is a warning, since the results are there.
    func flush() async {
        do throws(TintypeError) {
            try await pipeline.flush()
        } catch {
            StandardError.write("tintype: the cache was not written: \(error)")
        }
    }

    /// Returns the source that an argument names, with the bytes of standard input for `-`. Blocks while it reads them.
    ///
    /// - Throws: `TintypeError.Code.invalidSource`, and the errors of ``StandardInput/read(atMost:_:until:)``.
    func source(_ argument: SourceArgument) throws(TintypeError) -> ImageSource {
        guard argument.isStandardInput else { return try argument.source() }
        let data = try StandardInput.read(atMost: configuration.maximumByteCount, "an image", until: interruption)
        return .bytes(data, id: "standard input")
    }
}
