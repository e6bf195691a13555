/// The kinds of pictures, beside still ones, that a request's transforms are applied to.
public struct TransformScope: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Pictures of several frames, unless only the first is decoded.
    public static let animated = TransformScope(rawValue: 1)
    /// Pictures without pixels of their own.
    public static let vector = TransformScope(rawValue: 2)
    public static let all: TransformScope = [.animated, .vector]

    /// A canonical form; empty for still pictures alone.
    var identifier: String {
        let names = [(TransformScope.animated, "animated"), (.vector, "vector")]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: "+")
    }
}
