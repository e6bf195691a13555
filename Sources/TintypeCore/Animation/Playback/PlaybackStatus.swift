/// What a player does.
public enum PlaybackStatus: Hashable, Sendable {
    /// It holds no frames but the one that is shown.
    case stopped
    case playing
    /// Time stands; the frames that come next are held.
    case paused
    /// All loops have been shown.
    case ended
}
