import CTintypeSandbox
import Logging
public import TintypeCore

/// The restrictions that the kernel of this machine can impose on worker processes.
public struct SandboxStatus: Hashable, Sendable {
    /// The version of Landlock, which restricts access to files; 0 if there is none.
    package var landlockVersion: Int
    /// Whether system calls are filtered (seccomp).
    package var isFiltered: Bool
    /// Whether memory is limited. It is not in programs that were built with the address or thread sanitizer.
    package var isMemoryLimited: Bool

    /// Whether every restriction is in place.
    package var isComplete: Bool { missing.isEmpty }

    /// What is missing, each as a phrase: `"no Landlock"`.
    public var missing: [String] {
        guard isMemoryLimited else { return ["no restriction, because the program was built with a sanitizer"] }
        return [
            landlockVersion == 0 ? "no Landlock (since Linux 5.13), so workers that draw text can read all files" : nil,
            isFiltered ? nil : "no filter of system calls (seccomp)",
        ].compactMap { $0 }
    }

    /// Starts a worker that decodes nothing, and returns its restrictions. Blocks for a few milliseconds.
    ///
    /// - Throws: `TintypeError.Code.noWorker`.
    public static func probe(
        _ configuration: SandboxConfiguration = SandboxConfiguration()
    ) throws(TintypeError) -> SandboxStatus {
        let worker = try WorkerProcess(
            configuration.executable,
            WorkerStart(decoders: [], readsFonts: false, landlockVersion: configuration.landlockVersion ?? .max),
            configuration.logger)
        defer { worker.end() }
        return SandboxStatus(worker.ready)
    }

    init(_ ready: WorkerReady) {
        (landlockVersion, isFiltered) = (ready.landlockVersion, ready.isFiltered)
        isMemoryLimited = !tintype_has_sanitizer()
    }

    private static let isReported = Locked(false)

    /// Logs what the kernel lacks, once in the process. A sanitizer is not worth a line in each run.
    static func report(_ status: SandboxStatus, _ logger: Logger) {
        guard !status.isComplete, status.isMemoryLimited else { return }
        let isFirst = isReported.withLock { isReported in
            defer { isReported = true }
            return !isReported
        }
        guard isFirst else { return }
        logger.warning("worker processes are not fully restricted: \(status.missing.joined(separator: "; "))")
    }
}
