import Tintype

/// One transform that the command line asks for.
enum TransformStep: Sendable {
    case transformer(any ImageTransformer)
    /// A picture that is loaded when the work begins.
    case overlay(OverlayStep)

    /// - Parameter load: gets the pixels of a picture that is put on another.
    func transformer(
        _ load: (SourceArgument) async throws(TintypeError) -> PixelBuffer
    ) async throws(TintypeError) -> any ImageTransformer {
        switch self {
        case .transformer(let transformer): return transformer
        case .overlay(let step):
            return OverlayTransformer(
                try await load(step.source), gravity: step.gravity, inset: step.inset, mode: step.mode,
                opacity: step.opacity)
        }
    }
}

/// What `--overlay` and the options after it say.
struct OverlayStep: Sendable {
    let source: SourceArgument
    var gravity = Gravity.bottomRight
    var inset = PixelSize(width: 0, height: 0)
    var mode = BlendMode.normal
    var opacity = 1.0
}
