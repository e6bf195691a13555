import TintypeCore

extension SourceRecord {
    /// Refuses a source that is beyond the limits of the URL. Those of the configuration hold as well: they are applied
    /// while the source is loaded and decoded.
    ///
    /// - Parameter frames: The largest number of frames that are kept, unless the URL has another one.
    func check(_ limits: LimitOptions, frames: Int) throws(Failure) {
        if let bytes = limits.sourceBytes, bytes > 0, byteCount > bytes {
            throw Self.failure("the source has \(byteCount) bytes, more than the URL allows")
        }
        let frames = min(info.frameCount, limits.frames ?? frames)
        let (area, isOverflowing) = info.size.area.multipliedReportingOverflow(by: max(1, frames))
        if frames > 1, let pixels = limits.framePixels, pixels > 0 {
            guard info.size.area <= pixels else { throw Self.failure("a frame has more pixels than the URL allows") }
        } else if let pixels = limits.sourcePixels, isOverflowing || area > pixels {
            throw Self.failure("the source has more pixels than the URL allows")
        }
    }

    private static func failure(_ detail: String) -> Failure {
        Failure(.unprocessable, code: TintypeError.Code.limitExceeded.rawValue, detail: detail)
    }
}
