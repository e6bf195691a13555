import ArgumentParser

/// A number of bytes, such as `1500`, `64kB`, `500MB` or `1GB`.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        let text = argument.lowercased()
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let factor = Self.factors[String(unit)], let value = Double(digits), value >= 0,
            let bytes = Int(exactly: (value * factor).rounded())
        else { return nil }
        self.bytes = bytes
    }

    private static let factors: [String: Double] = [
        "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
        "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824,
    ]
}
