/// A decoder that a worker process can run, so that hostile bytes harm only that process (`TintypeSandbox`).
///
/// A worker is another process of the same program, which ends before `main`. It knows nothing of the program's objects
/// and creates the decoder from its type alone, so the type has no state.
public protocol SandboxableImageDecoder: ImageDecoder {
    /// Creates the decoder.
    init()

    /// What the decoder needs in a worker.
    static var workerNeeds: WorkerNeeds { get }

    /// Loads what cannot be loaded later. Called once in each worker that will run the decoder, before its system calls
    /// are restricted and before any image arrives.
    ///
    /// Afterwards, no library can be loaded, and only the files that ``workerNeeds`` names can be opened.
    static func prepareWorker()
}

extension SandboxableImageDecoder {
    /// By default, the decoder runs in a worker only if all decoders do, and reads no files.
    public static var workerNeeds: WorkerNeeds { WorkerNeeds() }

    /// Loads nothing, by default.
    public static func prepareWorker() {}
}

/// The place of a decoder in a sandbox, and what it may read there.
public struct WorkerNeeds: Hashable, Sendable {
    /// Whether the format or its library is so complex that images are decoded in workers by default.
    public var isComplex: Bool
    /// Whether the decoder reads the fonts of the system and their configuration while it decodes.
    public var readsFonts: Bool

    /// Creates a description.
    public init(isComplex: Bool = false, readsFonts: Bool = false) {
        (self.isComplex, self.readsFonts) = (isComplex, readsFonts)
    }
}
