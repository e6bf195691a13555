import Foundation
package import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs: after a minute, or the minutes that `TINTYPE_TIME_LIMIT` states, on a busy machine or
    /// under a sanitizer.
    package static var timeLimited: Self {
        .timeLimit(.minutes(ProcessInfo.processInfo.environment["TINTYPE_TIME_LIMIT"].flatMap { Int($0) } ?? 1))
    }
}
