import Foundation
public import Logging
public import TintypeCore

/// Which images are decoded in worker processes.
public enum SandboxPolicy: String, Hashable, Sendable, CaseIterable {
    /// None. For programs whose images are their own: a hostile image can crash the program, or take it over.
    case none
    /// Images in complex formats: SVG, HEIC, AVIF, JPEG XL, TIFF, PDF, raw images, and formats of the program that ask
    /// for it.
    case standard
    /// All images. For servers.
    case all
}

/// How images are decoded in worker processes.
///
/// A worker is the program itself, started again; it ends before `main`. It decodes the bytes that it receives and can
/// do nothing else: the kernel limits its memory, its time and its access to the system.
public struct SandboxConfiguration: Sendable {
    /// Which images are decoded in workers.
    public var policy: SandboxPolicy
    /// The executable of the workers, for a program that cannot be started twice, such as a plugin of another one. It
    /// must contain the same decoders and `TintypeSandbox` of the same version. `nil` starts the program itself.
    public var executable: String?
    /// The largest number of workers; by default the number of cores, and at least 2.
    public var maximumWorkers = ProcessInfo.processInfo.activeProcessorCount
    /// The number of requests after which a worker is replaced.
    package var imagesPerWorker = 10_000
    /// The images that may share a worker.
    public var sharing = Sharing.all
    /// Whether decoding fails with `TintypeError.Code.noWorker` where the kernel cannot restrict a worker completely.
    /// Otherwise, what is missing is logged once; see ``SandboxStatus``.
    public var isStrict = false
    /// The log.
    public var logger = Logger(label: "tintype.sandbox")
    /// The highest version of Landlock to use, to test older kernels; `nil` uses that of the kernel.
    package var landlockVersion: Int?

    /// The images that may share a worker.
    ///
    /// A worker that an image has taken over can read the bytes of its earlier and later images, return wrong pixels
    /// for later ones, and change those of earlier ones that are in use. It can do nothing else.
    public enum Sharing: Hashable, Sendable {
        /// All images.
        case all
        /// Images whose requests name the same scheme, host and port. What an origin redirects to counts as its own.
        case sameOrigin
        /// Each image has a worker of its own, which costs 10 to 50 ms.
        case none
    }

    /// Creates a configuration.
    public init(_ policy: SandboxPolicy = .standard, executable: String? = nil) {
        (self.policy, self.executable) = (policy, executable)
    }
}

extension ImageCoderRegistry {
    /// Returns a registry whose decoders run in worker processes, as far as the policy names them.
    ///
    /// A decoder that is no ``SandboxableImageDecoder`` stays in the process. In a registry that is sandboxed already,
    /// the configuration replaces the former one.
    public func sandboxed(_ configuration: SandboxConfiguration = SandboxConfiguration()) -> ImageCoderRegistry {
        let pool = WorkerPool(configuration)
        var registry = replacingDecoders { decoder in
            let decoder = (decoder as? SandboxedDecoder)?.base ?? decoder
            guard let sandboxable = decoder as? any SandboxableImageDecoder else { return decoder }
            return switch configuration.policy {
            case .none: decoder
            case .standard where !type(of: sandboxable).workerNeeds.contains(.isolation): decoder
            case .standard, .all: SandboxedDecoder(sandboxable, pool)
            }
        }
        registry.separatesOrigins = configuration.sharing == .sameOrigin
        return registry
    }
}
