/// What happens to a running load.
public enum ImageEvent: Sendable {
    /// More bytes arrived. Only the newest is kept for who is slow.
    case progress(LoadProgress)
    /// A partial picture that shows more than the one before. Only the newest is kept for who is slow.
    case preview(ImageResponse)
    /// The end: exactly one, and the last.
    case finished(Result<ImageResponse, TintypeError>)
}
