#if GTK
import CGTK
import Foundation

/// Measures how long the main loop is busy between two polls, without the time of GTK's own drawing.
///
/// It counts processor time, so that other programs on the machine do not matter.
@MainActor final class Stalls {
    private(set) var longest = Duration.zero
    /// The number of times that the loop was busy for longer than a frame.
    private(set) var missedFrames = 0
    private(set) var total = Duration.zero
    private(set) var drawing = Duration.zero
    private(set) var frames = 0

    private static var current: Stalls?
    private var wakeTime = Stalls.now
    private var drawStart: Duration?
    private var drawn = Duration.zero

    /// Starts to measure.
    ///
    /// - Parameter clock: The frame clock of the window that is drawn.
    func start(_ clock: OpaquePointer?) {
        Self.current = self
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
    }

    private func endTurn() {
        let busy = Self.now - wakeTime - drawn
        total += busy
        longest = max(longest, busy)
        if busy > .milliseconds(16) { missedFrames += 1 }
    }

    private func beginDrawing() {
        drawStart = Self.now
    }

    private func endDrawing() {
        guard let drawStart else { return }
        drawn += Self.now - drawStart
        drawing += Self.now - drawStart
        frames += 1
    }

    /// The processor time of the calling thread.
    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
#endif
