/// Decides when the next frame may be written, so that frames do not pile up in a terminal that draws slowly.
///
/// After each frame, the terminal is asked for its status; it answers when it has processed the frame. The caller
/// passes the time.
struct FlowControl: Sendable {
    /// When a frame may be written.
    enum Permission: Hashable, Sendable {
        case now
        /// At this time, or as soon as the terminal answers.
        case at(Duration)
        /// As soon as the terminal answers.
        case whenAnswered
    }

    /// The time at which the last frame was written, unless it has been answered.
    private var unanswered: Duration?
    /// The number of frames that followed each other without an answer.
    private(set) var missedAnswers = 0

    /// A terminal that has not answered for this long is slow, or does not answer at all.
    static let patience = Duration.milliseconds(500)
    /// The time between frames for such a terminal: five a second.
    static let slowInterval = Duration.milliseconds(200)
    /// After this many frames without any answer, animations stand still.
    static let largestMissedAnswers = 25

    /// Returns when a frame may be written.
    ///
    /// - Parameter kind: A frame of an animation may be left out, other content may not.
    func permission(for kind: FrameKind) -> Permission {
        guard let unanswered else { return .now }
        if kind == .animation && missedAnswers >= Self.largestMissedAnswers { return .whenAnswered }
        return .at(unanswered + (missedAnswers == 0 ? Self.patience : Self.slowInterval))
    }

    /// Records that a frame has been written.
    mutating func write(at now: Duration) {
        if unanswered != nil { missedAnswers += 1 }
        unanswered = now
    }

    /// Records an answer. Any answer shows that the terminal lives; a late one lets at most one frame through.
    mutating func recordAnswer() {
        unanswered = nil
        missedAnswers = 0
    }
}

/// Whether a frame may be left out.
package enum FrameKind: Hashable, Sendable {
    /// A frame of an animation or a transition: the next one replaces it.
    case animation
    /// Content that must be shown in the end.
    case content
}
