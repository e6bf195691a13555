/// A decoder that a worker process can run, so that hostile bytes harm only that process (`TintypeSandbox`).
///
/// A worker is another process of the same program, which ends before `main`. It knows nothing of the program's objects
/// and creates the decoder from its type alone, so the type has no state.
public protocol SandboxableImageDecoder: ImageDecoder {
    /// Creates the decoder.
    init()

    /// What the decoder needs in a worker.
    static var workerNeeds: Set<WorkerNeed> { get }

    /// Loads what cannot be loaded later. Called once in each worker that will run the decoder, before its system calls
    /// are restricted and before any image arrives.
    ///
    /// Afterwards, no library can be loaded, and only the files that ``workerNeeds`` names can be opened.
    static func prepareWorker()
}

extension SandboxableImageDecoder {
    /// By default, the decoder runs in a worker only if all decoders do, and reads no files.
    public static var workerNeeds: Set<WorkerNeed> { [] }

    /// Loads nothing, by default.
    public static func prepareWorker() {}
}

/// A need of a decoder that decides where it runs, and what it may read there.
public enum WorkerNeed: Hashable, Sendable {
    /// The format or its library is so complex that images are decoded in workers by default.
    case isolation
    /// The decoder reads the fonts of the system and their configuration while it decodes.
    case fonts
}
