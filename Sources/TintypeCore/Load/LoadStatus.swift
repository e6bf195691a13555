/// How far a load is, whole: the newest says everything, so none has to be kept for who is slow or late.
struct LoadStatus: Sendable {
    var progress = LoadProgress()
    /// The newest preview, and how many there have been.
    var preview: ImageResponse?
    var previewCount = 0

    /// The same with so many pixels a point.
    func atScale(_ scale: Double) -> LoadStatus {
        var status = self
        status.preview = preview?.atScale(scale)
        return status
    }
}
