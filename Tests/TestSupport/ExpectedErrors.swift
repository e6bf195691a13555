package import Testing
package import TintypeCore

/// Expects a ``TintypeError`` of one code, and returns it.
///
/// A test that accepts any error passes for the wrong reason.
@discardableResult
package func expectError<Value>(
    _ code: TintypeError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) -> TintypeError? {
    do {
        return check(nil, code, try body(), sourceLocation)
    } catch {
        return check(error, code, nil as Value?, sourceLocation)
    }
}

/// Expects a ``TintypeError`` of one code, and returns it.
@discardableResult
package func expectError<Value>(
    _ code: TintypeError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async -> TintypeError? {
    do {
        return check(nil, code, try await body(), sourceLocation)
    } catch {
        return check(error, code, nil as Value?, sourceLocation)
    }
}

/// Records an issue unless `error` has the code.
private func check<Value>(
    _ error: (any Error)?, _ code: TintypeError.Code, _ value: Value?, _ sourceLocation: SourceLocation
) -> TintypeError? {
    guard let error = error as? TintypeError, error.code == code else {
        let end = error.map { "\($0)" } ?? "the value \(value.map { "\($0)" } ?? "")"
        Issue.record("\(code) was expected, not \(end)", sourceLocation: sourceLocation)
        return nil
    }
    return error
}
