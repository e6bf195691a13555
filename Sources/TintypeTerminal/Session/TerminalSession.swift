package import Foundation
public import TintypeCore

/// Shows images in regions of a terminal, and receives keys, until it ends.
///
/// One thread encodes frames, writes them, and reads keys and answers. It writes the newest frame of each region when
/// the terminal has processed the former one. Only ``end()``, `finish()` and ``suspend()`` wait for the terminal.
///
/// The terminal is restored by ``end()``, and when the session is released. ``TerminalSignals`` calls ``end()`` for
/// signals that end the process; a program that handles signals itself does so, on any thread.
public final class TerminalSession: Sendable {
    private let core: SessionCore

    /// Begins a session on the controlling terminal.
    ///
    /// - Parameters:
    ///   - capabilities: The result of ``TerminalCapabilities/detect(variables:)``. The first protocol is used.
    ///   - screen: The screen to use.
    ///   - onKey: Called with each key, on the thread of the session.
    /// - Throws: `TintypeError.Code.unreadable` if there is no terminal.
    public convenience init(
        _ capabilities: TerminalCapabilities, screen: TerminalScreen = .alternate,
        onKey: @escaping @Sendable (TerminalKey) -> Void = { _ in }
    ) throws(TintypeError) {
        try self.init(capabilities, screen: screen, device: TerminalDevice(), onKey: onKey)
    }

    /// Begins a session on a terminal, with the clock that decides when an answer is late.
    ///
    /// - Parameter restingRow: The row at whose beginning the cursor stands now, after each frame, and at the end, also
    ///   if a signal or a crash ends the process; `nil` if it may be anywhere.
    package init(
        _ capabilities: TerminalCapabilities, screen: TerminalScreen, restingRow: Int? = nil, device: TerminalDevice,
        time: TimeSource = .system,
        onKey: @escaping @Sendable (TerminalKey) -> Void = { _ in }
    ) throws(TintypeError) {
        try device.enterRawMode()
        core = SessionCore(
            capabilities, screen: screen, restingRow: restingRow, device: device, time: time, onKey: onKey)
        Thread.detachNewThread { [core] in
            var thread = SessionThread(core)
            thread.run()
        }
    }

    deinit {
        end()
    }

    /// The capabilities of the terminal. The first protocol is used.
    public var capabilities: TerminalCapabilities { core.capabilities }

    /// The size of the terminal, as the last call of ``resize()`` found it.
    public var size: TerminalSize { core.state.withLock { $0.size } }

    /// Restores the terminal. Waits until that is done, but at most for a second if the terminal takes no bytes. Frames
    /// that have not been written are dropped.
    ///
    /// Called by `onKey`, it does not wait, and the terminal is restored when `onKey` has returned. The same applies to
    /// `finish()` and ``suspend()``.
    public func end() {
        // All calls but the first have nothing to do.
        core.state.withLock { $0.end() }
        core.ending.send()
        guard !core.isOnThread else { return }
        _ = Polling.wait(for: [core.ended.descriptor], until: .now + SessionThread.restoreTime * 2)
        core.device.leaveRawMode()
    }

    /// Restores the terminal like ``end()``, after all frames have been written; waits for at most two seconds for
    /// them.
    package func finish() {
        core.change { $0.finish() }
        guard !core.isOnThread else { return }
        _ = Polling.wait(for: [core.ended.descriptor], until: .now + .seconds(2))
        end()
    }

    /// Restores the terminal until ``resume()``, for a program that is about to be stopped. Waits like ``end()``. The
    /// session reads no keys meanwhile.
    public func suspend() {
        core.change { $0.suspend() }
        guard !core.isOnThread else { return }
        let files = [core.paused.descriptor, core.ended.descriptor]
        _ = Polling.wait(for: files, until: .now + SessionThread.restoreTime * 2)
        core.paused.clear()
        core.device.leaveRawMode()
    }

    /// Uses the terminal again after ``suspend()``, unless the session has ended meanwhile. Show everything again after
    /// it.
    ///
    /// - Throws: `TintypeError.Code.unreadable` if the terminal is gone.
    public func resume() throws(TintypeError) {
        try core.device.enterRawMode()
        // An end that comes later restores the modes itself.
        guard core.change({ $0.resume() }) else { return core.device.leaveRawMode() }
        resize()
    }

    /// Finds out the size of the terminal, clears the alternate screen, and forgets what the regions show. Call it on
    /// `SIGWINCH` and `SIGCONT`, then show everything again.
    ///
    /// - Returns: The new size.
    @discardableResult public func resize() -> TerminalSize {
        let (span, cell) = core.device.size
        return core.change { state in
            let size = TerminalSize(columns: span.columns, rows: span.rows, cell: cell ?? state.size.cell)
            state.resize(to: size)
            return size
        }
    }

    /// Returns a new region, which shows nothing.
    package func makeRegion(_ rect: CellRect) -> TerminalRegion {
        TerminalRegion(core, number: core.change { $0.makeRegion() }, rect)
    }

    /// The bytes to write and the modes to set when a signal handler restores the terminal.
    package var restoration: (bytes: [UInt8], modes: termios?, descriptor: Int32) {
        (core.restoration(after: .cutOff), core.device.formerModes, core.device.descriptor)
    }
}

/// A rectangle of the terminal that one caller draws. It is cleared when it is released.
package final class TerminalRegion: Sendable {
    private let core: SessionCore
    private let number: Int
    private let lockedRect: Locked<CellRect>

    fileprivate init(_ core: SessionCore, number: Int, _ rect: CellRect) {
        self.core = core
        self.number = number
        lockedRect = Locked(rect)
    }

    deinit {
        core.change { [number] in $0.remove(number) }
    }

    /// The cells of the region. A change takes effect with the next frame.
    package var rect: CellRect {
        get { lockedRect.withLock { $0 } }
        set { lockedRect.withLock { $0 = newValue } }
    }

    /// Shows content as soon as the terminal is ready, unless a newer one comes first.
    package func show(_ content: RegionContent, _ kind: FrameKind = .content) {
        let frame = RegionFrame(content, in: rect)
        core.change { [number] in $0.add(frame, region: number, kind: kind) }
    }
}
