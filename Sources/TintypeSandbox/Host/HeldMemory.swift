import TintypeCore

/// The memory of other images that a worker holds while it decodes one: bitmaps that are used again, and open decoders.
///
/// The kernel cannot tell it from the memory of the image, so it counts against the limit of the image. Whether an
/// image can be decoded must not depend on what its worker did before, so one that fails for lack of memory is decoded
/// again in a new worker.
struct HeldMemory: Equatable {
    /// The bytes of the blocks that the worker held.
    var blocks = 0
    /// The number of other decoders that were open, whose private memory is not known.
    var decoders = 0

    /// Whether an image may have failed for lack of this memory.
    func mayExplain(_ error: TintypeError, _ limits: DecodeLimits) -> Bool {
        switch error.code {
        // The libraries crash in many ways when memory cannot be allocated.
        case .outOfMemory, .decoderCrashed: blocks > 0 || decoders > 0
        case .limitExceeded: error.limit == .memoryBytes && (blocks > 0 || decoders > 0)
        // Some report an image that is damaged.
        case .undecodable: blocks > limits.memoryBytes / 8
        default: false
        }
    }
}

extension WorkerRequest.Operation {
    /// Whether the operation continues with a decoder that is open.
    var usesOpenDecoder: Bool {
        switch self {
        case .frame, .preview: true
        default: false
        }
    }
}

extension WorkerReply.Result {
    /// The number of decoders that the worker keeps open for this result.
    var openedDecoders: Int {
        switch self {
        case .frames, .previews: 1
        case .image(let image): image.frames == nil ? 0 : 1
        default: 0
        }
    }
}
