import Testing
import TintypeCore

/// Expects a ``TintypeError`` of one code, and returns it.
@discardableResult
func expect<Value>(
    _ code: TintypeError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async -> TintypeError? {
    do {
        _ = try await body()
        Issue.record("\(code) was expected, nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as TintypeError {
        #expect(error.code == code, sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("\(code) was expected, not \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
