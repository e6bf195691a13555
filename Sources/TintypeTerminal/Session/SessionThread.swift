import Foundation
import TintypeCore

/// The thread of a session: it draws frames, and receives keys and answers.
struct SessionThread {
    private let core: SessionCore
    private var renderers: [Int: RegionRenderer] = [:]
    private var parser = TerminalInputParser()
    /// The time at which a pending escape counts as a key; `nil` if none is pending.
    private var keyEnd: ContinuousClock.Instant?
    private var output = TerminalScreen.FormerOutput.complete
    /// The frames that the regions show, if they went through shared memory.
    private var sharedFrames: [Int: RegionFrame] = [:]
    /// Whether the terminal reads shared memory.
    private var hasSharedMemory = true
    /// The shared memory of frames that have not been answered, oldest first.
    private var unread: [[SharedPixels]] = []
    /// The number of the first image. Other programs number images of the same terminal, mostly from 1 on.
    private let firstImage = UInt32.random(in: 0x4000_0000...0x7FFF_0000)

    /// The time that a terminal has to take the bytes that restore it.
    static let restoreTime = Duration.milliseconds(500)
    /// The time to wait for the last answers.
    private static let answerTime = Duration.milliseconds(200)
    /// An escape is a key if nothing follows it for this long.
    private static let escapeTime = Duration.milliseconds(50)

    init(_ core: SessionCore) {
        self.core = core
    }

    /// Runs until the session ends, or the terminal is gone.
    mutating func run() {
        core.enterThread()
        var isAlive = write(core.screen.beginning)
        while isAlive {
            switch core.state.withLock({ [now = core.time.uptime()] in $0.next(at: now) }) {
            case .end: isAlive = false
            case .draw(let entry): isAlive = draw(entry.frame, region: entry.region)
            case .restart(let size): isAlive = restart(size)
            case .remove(let region): isAlive = remove(region)
            case .wait(let end): isAlive = receive(until: end)
            case .suspend: isAlive = suspend()
            case .rest: rest()
            case .resume: isAlive = write(core.screen.beginning)
            }
        }
        core.device.write(lastImages() + core.restoration(after: output), until: .now + Self.restoreTime)
        receiveLastAnswers()
        for object in unread.joined() { object.remove() }
        // After the screen, so that late answers are not typed into the shell.
        core.device.leaveRawMode()
        core.ended.send()
    }

    // MARK: Output

    private mutating func draw(_ frame: RegionFrame, region: Int) -> Bool {
        var renderer = renderers[region] ?? makeRenderer(region)
        // A frame for which there is not enough memory is left out; the next one may be smaller.
        let drawn = (try? renderer.draw(frame)) ?? RegionRenderer.Output()
        renderers[region] = renderer
        guard !drawn.bytes.isEmpty else { return true }
        sharedFrames[region] = drawn.shared.isEmpty ? nil : frame
        unread.append(drawn.shared)
        let isWritten = writeFrame(drawn.bytes)
        core.state.withLock { [now = core.time.uptime()] in $0.write(at: now) }
        return isWritten
    }

    /// Returns the bytes that remove the images from the terminal behind tmux, which would keep them although their
    /// text is gone.
    private mutating func lastImages() -> [UInt8] {
        guard core.capabilities.hasPlaceholders, core.screen == .alternate, output == .complete else { return [] }
        var bytes: [UInt8] = []
        for region in renderers.keys { bytes += renderers[region]?.clear() ?? [] }
        return bytes
    }

    private func makeRenderer(_ region: Int) -> RegionRenderer {
        var renderer = RegionRenderer(
            core.capabilities, size: core.state.withLock { $0.size },
            image: firstImage &+ UInt32(truncatingIfNeeded: region)
        ) { try? SharedPixels($0) }
        if !hasSharedMemory { renderer.stopSharing() }
        return renderer
    }

    /// Writes bytes, unless the session ends first.
    ///
    /// - Returns: Whether all bytes were written.
    private mutating func write(_ bytes: [UInt8]) -> Bool {
        let isWritten = core.device.write(bytes, wake: core.ending.descriptor)
        if !isWritten { output = .cutOff }
        return isWritten
    }

    /// Writes a frame in one step, as far as the terminal can, and asks for its status.
    private mutating func writeFrame(_ frame: [UInt8]) -> Bool {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frame.count + 32)
        if core.capabilities.hasSynchronizedOutput { bytes.append(ControlSequence.beginUpdate) }
        bytes += frame
        if let row = core.restingRow { bytes.appendMove(column: 0, row: row) }
        if core.capabilities.hasSynchronizedOutput { bytes.append(ControlSequence.endUpdate) }
        bytes.append(ControlSequence.requestStatus)
        return write(bytes)
    }

    private mutating func restart(_ size: TerminalSize) -> Bool {
        var bytes: [UInt8] = []
        sharedFrames = [:]
        for region in renderers.keys {
            if core.screen == .alternate { bytes += renderers[region]?.clear() ?? [] }
            renderers[region]?.forget(size: size)
        }
        if core.screen == .alternate { bytes.append(ControlSequence.clearScreen) }
        return write(bytes)
    }

    private mutating func remove(_ region: Int) -> Bool {
        sharedFrames[region] = nil
        guard var renderer = renderers.removeValue(forKey: region) else { return true }
        return write(renderer.clear())
    }

    private mutating func suspend() -> Bool {
        let isWritten = core.device.write(core.restoration(after: output), until: .now + Self.restoreTime)
        core.device.leaveRawMode()
        core.paused.send()
        return isWritten
    }

    private func rest() {
        let ready = Polling.wait(for: [core.ending.descriptor, core.wake.descriptor], until: nil)
        if ready == core.wake.descriptor { core.wake.clear() }
    }

    /// Sends pixels inline from now on, because the terminal could not read those in shared memory, although it has
    /// said so.
    private mutating func stopSharing() {
        guard hasSharedMemory else { return }
        hasSharedMemory = false
        for region in renderers.keys { renderers[region]?.stopSharing() }
        core.state.withLock { [sharedFrames] state in
            for (region, frame) in sharedFrames { state.repeatFrame(frame, region: region) }
        }
        sharedFrames = [:]
    }

    // MARK: Input

    private mutating func receive(until end: Duration?) -> Bool {
        let drawEnd = end.map { ContinuousClock.now + ($0 - core.time.uptime()) }
        let ready = Polling.wait(
            for: [core.ending.descriptor, core.wake.descriptor, core.device.descriptor],
            until: [drawEnd, keyEnd].compactMap(\.self).min())
        switch ready {
        case core.wake.descriptor: core.wake.clear()
        case core.device.descriptor:
            guard let bytes = core.device.read() else { return false }
            for input in parser.parse(bytes) { handle(input) }
            keyEnd = parser.hasPendingKey ? .now + Self.escapeTime : nil
        default: endKey()
        }
        return true
    }

    /// Handles an escape as a key if nothing has followed it in time.
    private mutating func endKey() {
        guard let keyEnd, keyEnd <= .now else { return }
        self.keyEnd = nil
        if let key = parser.endBurst() { handle(key) }
    }

    /// Receives the answers that are on their way: later ones would be typed into the shell.
    private mutating func receiveLastAnswers() {
        let end = ContinuousClock.now + Self.answerTime
        while !unread.isEmpty, Polling.wait(for: [core.device.descriptor], until: end) != nil {
            guard let bytes = core.device.read() else { return }
            for input in parser.parse(bytes) where input == .ready { handle(input) }
        }
    }

    private mutating func handle(_ input: TerminalInput) {
        switch input {
        case .ready:
            core.state.withLock { $0.recordAnswer() }
            // The terminal has removed them, unless it failed.
            if !unread.isEmpty { for object in unread.removeFirst() { object.remove() } }
        // Successes are not reported.
        case .graphics: stopSharing()
        case .key(let key): core.onKey(key)
        default: break
        }
    }
}
