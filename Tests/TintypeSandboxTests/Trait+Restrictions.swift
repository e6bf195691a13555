import Testing

@testable import TintypeSandbox

extension Trait where Self == ConditionTrait {
    /// Runs tests only if workers are restricted. They are not in a program that was built with a sanitizer, where a
    /// decoder that misbehaves may kill the process of the tests.
    static var needsRestrictions: Self { .enabled(if: areWorkersRestricted) }
}

private let areWorkersRestricted = (try? SandboxStatus.probe())?.isMemoryLimited != false
