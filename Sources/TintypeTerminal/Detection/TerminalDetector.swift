public import Foundation
public import TintypeCore

extension TerminalCapabilities {
    /// Asks the controlling terminal. It takes a few milliseconds; at most 1.1 seconds, or 2.1 seconds over `ssh`, with
    /// a terminal that does not answer.
    ///
    /// Restores the modes of the terminal before it returns. Keys that are pressed during the detection are lost.
    ///
    /// - Parameter variables: The environment variables. `TINTYPE_PROTOCOL` names a protocol to use, whatever the
    ///   terminal answers.
    /// - Throws: `TintypeError.Code.unreadable` if there is no terminal.
    public static func detect(
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(TintypeError) -> TerminalCapabilities {
        try TerminalDetector.detect(TerminalDevice(), variables: variables, time: .system)
    }
}

/// Finds out what a terminal can show.
package enum TerminalDetector {
    /// Asks a terminal.
    ///
    /// - Parameters:
    ///   - device: The terminal.
    ///   - variables: The environment variables.
    ///   - time: The clock of the deadline.
    ///   - wait: Waits until the terminal can be read, or a time of that clock; returns whether it can be read.
    package static func detect(
        _ device: TerminalDevice, variables: [String: String], time: TimeSource,
        wait: (TerminalDevice, Duration) -> Bool = waitForInput
    ) throws(TintypeError) -> TerminalCapabilities {
        let environment = TerminalEnvironment(variables)
        let (span, cell) = device.size
        let size = TerminalSize(
            columns: span.columns, rows: span.rows, cell: cell ?? TerminalSize.assumedCell)
        var detection = DetectionState(
            environment, size: size, isCellKnown: cell != nil,
            tmux: environment.isTmux ? TmuxClient.ask(within: tmuxPatience) : nil)
        try run(&detection, environment, device, time, wait)
        return overridden(detection.result, environment)
    }

    private static let tmuxPatience = Duration.milliseconds(100)

    private static func run(
        _ detection: inout DetectionState, _ environment: TerminalEnvironment, _ device: TerminalDevice,
        _ time: TimeSource, _ wait: (TerminalDevice, Duration) -> Bool
    ) throws(TintypeError) {
        if environment.isDumb { return }
        try device.inRawMode { ask(&detection, environment, device, time, wait) }
    }

    private static func ask(
        _ detection: inout DetectionState, _ environment: TerminalEnvironment, _ device: TerminalDevice,
        _ time: TimeSource, _ wait: (TerminalDevice, Duration) -> Bool
    ) {
        let shared = environment.isRemote || environment.isTmux ? nil : sharedPixel()
        // Usually the terminal has removed the object after reading it; this removes it otherwise.
        defer { shared?.remove() }
        let end = time.uptime() + detection.patience
        device.write(detection.queries(shared: shared), until: .now + detection.patience)
        while !detection.isComplete, time.uptime() < end {
            guard wait(device, end) else { continue }
            guard let bytes = device.read() else { return }
            detection.receive(bytes)
        }
    }

    private static func sharedPixel() -> SharedPixels? {
        guard let pixels = try? DetectionState.queryPixels() else { return nil }
        return try? SharedPixels(pixels.bytes)
    }

    /// Waits until a terminal can be read, or a time of the system's clock.
    package static func waitForInput(_ device: TerminalDevice, until end: Duration) -> Bool {
        let left = end - TimeSource.system.uptime()
        return Polling.wait(for: [device.descriptor], until: .now + left) != nil
    }

    /// Applies the protocol that the user has chosen by the environment.
    private static func overridden(
        _ capabilities: TerminalCapabilities, _ environment: TerminalEnvironment
    ) -> TerminalCapabilities {
        guard let name = environment.protocolName, let graphics = GraphicsProtocol(rawValue: name) else {
            return capabilities
        }
        return capabilities.using(graphics)
    }
}
