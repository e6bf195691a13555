import CTintypeSandbox
import Foundation
import TintypeCore

extension TintypeError {
    /// Creates the error for an image whose worker had to be ended.
    ///
    /// - Parameters:
    ///   - end: How the worker ended, as far as it is known: a hint only.
    ///   - privateBytes: The largest private memory of the worker that was seen.
    init(
        _ failure: WorkerProcess.Failure, _ end: tintype_process_end, privateBytes: Int, _ limits: DecodeLimits
    ) {
        switch failure {
        case .cancelled: self = .cancelled
        case .exceeded(let error): self = error
        case .timedOut: self = .exceeded(.time, "decoding took longer than \(limits.time)")
        case .violated(let reason):
            self.init(.decoderCrashed, stage: .decode, "the worker process violated the protocol: \(reason)")
        case .ended where end.signal == SIGXCPU: self = .exceeded(.time, "decoding took longer than \(limits.time)")
        // The libraries crash in many ways when memory cannot be allocated.
        case .ended where end.isOutOfMemory(limits.memoryBytes, privateBytes):
            self = .exceeded(.memoryBytes, "decoding needs more than \(limits.memoryBytes) bytes of memory")
        case .ended: self.init(.decoderCrashed, stage: .decode, "the decoder \(Self.description(of: end))")
        }
    }

    /// Returns the error for a worker that cannot be started.
    ///
    /// - Parameter number: The error number of the system call, or 0.
    static func noWorker(_ reason: String, _ number: Int32) -> TintypeError {
        let system = number == 0 ? "" : ": \(SystemError.description(number))"
        return TintypeError(
            .noWorker, stage: .decode,
            "a worker process is needed to decode the image, but \(reason)\(system); "
                + "mount /proc and permit execve, set SandboxConfiguration.executable, or trust the images with .none")
    }

    private static func description(of end: tintype_process_end) -> String {
        guard end.is_known else { return "ended unexpectedly" }
        switch end.signal {
        case 0: return "ended its process with status \(end.status)"
        case SIGSYS: return "made a system call that is forbidden"
        case SIGKILL: return "was killed, or broke its connection"
        default: return "crashed: \(String(cString: strsignal(end.signal)).lowercased())"
        }
    }
}

extension tintype_process_end {
    /// The memory of the stack, which ``DecodeLimits/memoryBytes`` does not limit.
    private static var stackBytes: Int { 64 << 20 }

    /// Whether the process probably crashed because it had reached its limit of memory.
    fileprivate func isOutOfMemory(_ limit: Int, _ privateBytes: Int) -> Bool {
        let used = privateBytes - (signal == SIGSEGV ? Self.stackBytes : 0)
        return is_known && [SIGABRT, SIGTRAP, SIGILL, SIGSEGV, SIGBUS].contains(signal) && used > limit / 5 * 3
    }
}
