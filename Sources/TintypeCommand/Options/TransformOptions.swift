import ArgumentParser
import Tintype

/// The transforms of `convert`, in the order in which they are given.
struct TransformOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Resize to this size, never larger than the picture.", valueName: "WxH"),
        transform: Ordered.parsing { PixelSize(argument: $0) })
    var resize: [Ordered<PixelSize>] = []

    @Option(
        help: ArgumentHelp(
            "What the --resize before it does when the aspect ratios differ: fit (inside, the default), fill (cover and cut) or stretch.",
            valueName: "fit|fill|stretch"),
        transform: Ordered.parsing { ResizeTransformer.Mode(rawValue: $0) })
    var mode: [Ordered<ResizeTransformer.Mode>] = []

    func validate() throws {
        if resize.isEmpty, !mode.isEmpty { throw ValidationError("--mode belongs to a --resize.") }
    }

    var transforms: [any ImageTransformer] {
        resize.enumerated().map { index, size in
            let next = index + 1 < resize.count ? resize[index + 1].place : .max
            let previous = index == 0 ? .min : size.place
            let mode = mode.last { $0.place > previous && $0.place < next }
            return ResizeTransformer(to: size.value, mode: mode?.value ?? .fit)
        }
    }
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
