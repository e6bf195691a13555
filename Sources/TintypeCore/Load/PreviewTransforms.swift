/// Applies a transformer to the previews of a load, on the pixel queue.
///
/// At most one preview is transformed at a time, and then the newest one that has arrived meanwhile. Progress is
/// reported without waiting.
final class PreviewTransforms: Sendable {
    private let load: ImageLoad
    private let transformer: any ImageTransformer
    private let state = Locked(TransformedPreviews())

    /// - Parameter load: The load whose previews are reported.
    init(_ load: ImageLoad, _ transformer: any ImageTransformer) {
        self.load = load
        self.transformer = transformer
    }

    /// Reports a status, with the newest transformed preview, and transforms its own preview later.
    func receive(_ status: LoadStatus) {
        let (newest, isStepDue) = state.withLock { $0.receive(status) }
        load.reporter.report(newest)
        if isStepDue { enqueueStep() }
    }

    private func enqueueStep() {
        WorkQueue.pixels.enqueue(at: load.job.priority) { self.step() }
    }

    private func step() {
        guard !load.job.isCancelled, let (number, preview) = state.withLock({ $0.next }) else { return }
        let transformed = transform(preview)
        let (newest, isStepDue) = state.withLock { $0.finishStep(number, transformed) }
        if transformed != nil { load.reporter.report(newest) }
        if isStepDue { enqueueStep() }
    }

    /// - Returns: `nil` if the transformer fails. A preview never fails a load.
    private func transform(_ preview: ImageResponse) -> ImageResponse? {
        guard load.request.rendition.appliesTransforms(to: preview.image.info) else { return preview }
        var transformed = preview
        let image = try? load.job.transforming { () throws(TintypeError) in
            try preview.image.transformed(by: transformer)
        }
        guard let image else { return nil }
        transformed.image = image
        return transformed
    }
}

/// The newest preview of a load, and the newest one that was transformed.
struct TransformedPreviews: Sendable {
    private var newest = LoadStatus()
    private var transformed: (number: Int, preview: ImageResponse)?
    /// The number of the last preview that was transformed, or could not be.
    private var doneNumber = 0
    private var isBusy = false

    /// - Returns: The status to report, and whether a preview must be transformed.
    mutating func receive(_ status: LoadStatus) -> (LoadStatus, isStepDue: Bool) {
        let former = newest
        newest = status
        if status.previewCount < former.previewCount {
            (newest.preview, newest.previewCount) = (former.preview, former.previewCount)
        }
        return (combined, startStep())
    }

    /// The preview to transform, and its number.
    var next: (Int, ImageResponse)? { newest.preview.map { (newest.previewCount, $0) } }

    /// - Returns: The status to report, and whether another preview has arrived meanwhile.
    mutating func finishStep(_ number: Int, _ preview: ImageResponse?) -> (LoadStatus, isStepDue: Bool) {
        isBusy = false
        doneNumber = number
        if let preview { transformed = (number, preview) }
        return (combined, startStep())
    }

    private mutating func startStep() -> Bool {
        guard !isBusy, newest.preview != nil, newest.previewCount > doneNumber else { return false }
        isBusy = true
        return true
    }

    private var combined: LoadStatus {
        var status = newest
        (status.preview, status.previewCount) = (transformed?.preview, transformed?.number ?? 0)
        return status
    }
}
