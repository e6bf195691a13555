/// Numbers in the characters of a ``BlurHash``.
enum Base83 {
    private static let characters = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    private static let values: [Int?] = {
        var values = [Int?](repeating: nil, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = value }
        return values
    }()

    static func value(_ character: UInt8) -> Int? { values[Int(character)] }

    static func text(_ value: Int, digits: Int) -> String {
        var (rest, text) = (value, [UInt8]())
        for _ in 0..<digits {
            text.append(characters[rest % 83])
            rest /= 83
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }
}
