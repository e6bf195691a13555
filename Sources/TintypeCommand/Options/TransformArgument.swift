import ArgumentParser
import Tintype

/// What one option about transforms says.
enum TransformArgument: Sendable {
    case step(TransformStep)
    /// Something about the step before it; gives `nil` for a step that has no such thing.
    case change(@Sendable (TransformStep) -> TransformStep?)

    static func transformer(_ transformer: (any ImageTransformer)?) -> TransformArgument? {
        transformer.map { .step(.transformer($0)) }
    }

    /// A change of transformers of one kind.
    static func changing<Kind: ImageTransformer>(
        _ kind: Kind.Type, _ change: @escaping @Sendable (inout Kind) -> Void
    ) -> @Sendable (TransformStep) -> TransformStep? {
        { step in
            guard case .transformer(let transformer) = step, var changed = transformer as? Kind else { return nil }
            change(&changed)
            return .transformer(changed)
        }
    }

    /// A change of what is put on the picture.
    static func changingOverlay(
        _ change: @escaping @Sendable (inout OverlayStep) -> Void
    ) -> @Sendable (TransformStep) -> TransformStep? {
        { step in
            guard case .overlay(var overlay) = step else { return nil }
            change(&overlay)
            return .overlay(overlay)
        }
    }

    /// The first change that the step before has something for.
    static func changing(
        either changes: (@Sendable (TransformStep) -> TransformStep?)...
    ) -> TransformArgument {
        .change { step in
            for change in changes {
                if let changed = change(step) { return changed }
            }
            return nil
        }
    }

    /// The steps that arguments make in their order; `nil` when one is about a step that is not before it.
    static func steps(_ arguments: [TransformArgument]) -> [TransformStep]? {
        var steps: [TransformStep] = []
        for argument in arguments {
            switch argument {
            case .step(let step): steps.append(step)
            case .change(let change):
                guard let last = steps.popLast(), let changed = change(last) else { return nil }
                steps.append(changed)
            }
        }
        return steps
    }
}

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

/// A value of an option with its place on the command line, which is otherwise lost between options of different names.
struct Ordered<Value: Sendable>: Sendable {
    let place: Int
    let value: Value

    /// The parser reads from left to right, so counting tells the order.
    static func parsing(
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> @Sendable (String) throws -> Ordered<Value> {
        { text in
            guard let value = parse(text) else { throw ValidationError("'\(text)' is not valid here.") }
            return Ordered(place: OptionPlace.next(), value: value)
        }
    }
}

private enum OptionPlace {
    private static let last = Locked(0)

    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
