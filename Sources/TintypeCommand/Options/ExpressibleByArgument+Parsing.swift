import ArgumentParser

extension ExpressibleByArgument where Self: Sendable {
    /// Reads an argument; for a wrong one, says what is wanted.
    static func parsing(_ wanted: String) -> @Sendable (String) throws -> Self {
        { argument in
            guard let value = Self(argument: argument) else { throw ValidationError("'\(argument)' is not \(wanted).") }
            return value
        }
    }
}
