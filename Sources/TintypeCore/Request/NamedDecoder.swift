/// A decoder for some requests alone, under a name that enters their keys.
///
/// Equal names mean equal pixels: the name says which decoder it is and how it is set.
public struct NamedDecoder: Sendable {
    public let id: String
    public let decoder: any ImageDecoder

    public init(id: String, _ decoder: any ImageDecoder) {
        self.id = id
        self.decoder = decoder
    }
}

extension NamedDecoder: Hashable {
    public static func == (left: NamedDecoder, right: NamedDecoder) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
