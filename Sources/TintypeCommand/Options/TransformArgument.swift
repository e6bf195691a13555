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
