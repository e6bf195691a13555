#if GTK
import CGTK
import Foundation

/// Measures how long the main loop is busy between two polls, without the time of GTK's own drawing, and the frames
/// that are late because of it.
///
/// It counts processor time, so that other programs on the machine do not matter, and beside it real time, which shows
/// a main thread that waits for a lock or a file.
@MainActor final class Stalls {
    private(set) var longest = Duration.zero
    /// The longest real time.
    private(set) var longestReal = Duration.zero
    /// The number of frames that were late by more than an interval of the frame clock while the loop was busy outside
    /// drawing for longer than one, in one turn or in many.
    private(set) var missedFrames = 0
    private(set) var total = Duration.zero
    private(set) var drawing = Duration.zero
    private(set) var frames = 0

    private static var current: Stalls?
    private var clock: OpaquePointer?
    private var wakeTime = Stalls.now
    private var realWakeTime = Stalls.realNow
    private var drawStart: Duration?
    private var realDrawStart = Duration.zero
    private var drawn = Duration.zero
    private var realDrawn = Duration.zero
    /// The time of the last frame, and the busy time until then.
    private var lastFrame: (time: Duration, busy: Duration)?

    /// Starts to measure.
    ///
    /// - Parameter clock: The frame clock of the window that is drawn.
    func start(_ clock: OpaquePointer?) {
        Self.current = self
        self.clock = clock
        g_main_context_set_poll_func(nil) { descriptors, count, timeout in
            MainActor.assumeIsolated { Stalls.current?.endTurn() }
            let result = g_poll(descriptors, count, timeout)
            MainActor.assumeIsolated { Stalls.current?.beginTurn() }
            return result
        }
        listen(clock, "before-paint") { MainActor.assumeIsolated { Stalls.current?.beginDrawing() } }
        listen(clock, "after-paint") { MainActor.assumeIsolated { Stalls.current?.endDrawing() } }
    }

    /// Ends the measurement.
    func stop() {
        Self.current = nil
    }

    private func listen(_ clock: OpaquePointer?, _ signal: String, _ handler: @convention(c) () -> Void) {
        g_signal_connect_data(
            clock.map { UnsafeMutableRawPointer($0) }, signal, handler, nil, nil,
            GConnectFlags(rawValue: 0))
    }

    private func beginTurn() {
        (wakeTime, drawn) = (Self.now, .zero)
        (realWakeTime, realDrawn) = (Self.realNow, .zero)
    }

    private func endTurn() {
        let busy = Self.now - wakeTime - drawn
        total += busy
        longest = max(longest, busy)
        longestReal = max(longestReal, Self.realNow - realWakeTime - realDrawn)
    }

    private func beginDrawing() {
        (drawStart, realDrawStart) = (Self.now, Self.realNow)
        let frame = (
            time: Duration.microseconds(gdk_frame_clock_get_frame_time(clock)),
            busy: total + (Self.now - wakeTime - drawn)
        )
        if let lastFrame, frame.time - lastFrame.time > interval * 2, frame.busy - lastFrame.busy > interval {
            missedFrames += 1
        }
        lastFrame = frame
    }

    /// The time between two frames of the screen.
    private var interval: Duration {
        let timings = gdk_frame_clock_get_current_timings(clock)
        let microseconds = timings.map { gdk_frame_timings_get_refresh_interval($0) } ?? 0
        return .microseconds(microseconds > 0 ? microseconds : 16_667)
    }

    private func endDrawing() {
        guard let drawStart else { return }
        drawn += Self.now - drawStart
        realDrawn += Self.realNow - realDrawStart
        drawing += Self.now - drawStart
        frames += 1
    }

    /// The processor time of the calling thread.
    static var now: Duration { time(CLOCK_THREAD_CPUTIME_ID) }
    private static var realNow: Duration { time(CLOCK_MONOTONIC) }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
#endif
