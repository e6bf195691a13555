import ArgumentParser
import Tintype

/// The value of one transform option: a transform, or a change to the one before it.
enum TransformArgument: Sendable {
    /// Changes the preceding step. Returns `nil` if the step is of another kind.
    typealias Modifier = @Sendable (TransformStep) -> TransformStep?

    case step(TransformStep)
    case modifier(Modifier)

    /// Returns a step that runs `transformer`, or `nil` if there is none.
    static func transform(_ transformer: (any ImageTransformer)?) -> TransformArgument? {
        transformer.map { .step(.transformer($0)) }
    }

    /// Returns a modifier of the transformers of one type.
    static func modifying<Transformer: ImageTransformer>(
        _ type: Transformer.Type, _ change: @escaping @Sendable (inout Transformer) -> Void
    ) -> Modifier {
        { step in
            guard case .transformer(let transformer) = step, var changed = transformer as? Transformer else {
                return nil
            }
            change(&changed)
            return .transformer(changed)
        }
    }

    /// Returns a modifier of overlays.
    static func modifyingOverlay(_ change: @escaping @Sendable (inout OverlayStep) -> Void) -> Modifier {
        { step in
            guard case .overlay(var overlay) = step else { return nil }
            change(&overlay)
            return .overlay(overlay)
        }
    }

    /// Returns a modifier that applies the first of several modifiers that suits the step.
    static func firstMatch(of modifiers: Modifier...) -> TransformArgument {
        .modifier { step in
            for modifier in modifiers {
                if let changed = modifier(step) { return changed }
            }
            return nil
        }
    }

    /// Applies the modifiers to the steps before them.
    ///
    /// - Returns: The steps, or `nil` if a modifier does not suit the step before it.
    static func steps(_ arguments: [TransformArgument]) -> [TransformStep]? {
        var steps: [TransformStep] = []
        for argument in arguments {
            switch argument {
            case .step(let step): steps.append(step)
            case .modifier(let modifier):
                guard let last = steps.popLast(), let changed = modifier(last) else { return nil }
                steps.append(changed)
            }
        }
        return steps
    }
}

/// One transform of the command line.
enum TransformStep: Sendable {
    case transformer(any ImageTransformer)
    /// An overlay, whose image is loaded when the conversion starts.
    case overlay(OverlayStep)

    /// - Parameter load: Loads the pixels of an overlay.
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

extension TransformStep {
    /// Whether the result always has a high range if the image has one; see `Image.highRange`.
    var keepsHighRange: Bool {
        switch self {
        case .transformer(let rotation as RotateTransformer):
            // A quarter turn that keeps the size is one only for a square image.
            rotation.degrees.remainder(dividingBy: rotation.isFitting ? 90 : 180) == 0
        case .transformer(let transformer): transformer is any GeometricTransformer || transformer.isPixelwise
        case .overlay: true
        }
    }
}

/// The settings of an `--overlay` and its modifiers.
struct OverlayStep: Sendable {
    let source: SourceArgument
    var gravity = Gravity.bottomRight
    var inset = PixelSize(width: 0, height: 0)
    var mode = BlendMode.normal
    var opacity = 1.0
}

/// The value of an option together with its position on the command line.
///
/// The argument parser keeps the order only among the values of one option, not between options.
struct Ordered<Value: Sendable>: Sendable {
    let position: Int
    let value: Value

    /// Returns the transform of an option.
    ///
    /// The argument parser parses the values from left to right, so a counter yields their positions.
    ///
    /// - Parameter expectation: A noun phrase for the error message about a wrong value.
    static func parsing(
        expecting expectation: String, _ parse: @escaping @Sendable (String) -> Value?
    ) -> @Sendable (String) throws -> Ordered<Value> {
        { text in
            guard let value = parse(text) else { throw ValidationError("expected \(expectation)") }
            return Ordered(position: OptionPosition.next(), value: value)
        }
    }
}

private enum OptionPosition {
    private static let last = Locked(0)

    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
