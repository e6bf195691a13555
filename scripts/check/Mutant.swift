import Foundation

/// What mutated expressions call: each function acts differently if the environment names its number. Written by
/// scripts/check/mutations into the copies of modules, never part of a program.
@usableFromInline enum Mutant {
    private static let active =
        ProcessInfo.processInfo.environment["TINTYPE_MUTANT"].flatMap { Int($0) } ?? 0

    @usableFromInline static func isActive(_ id: Int) -> Bool { active == id }
    @usableFromInline static func negated(_ id: Int, _ value: Bool) -> Bool {
        active == id ? !value : value
    }
    @usableFromInline static func literal<T>(_ id: Int, _ changed: T, _ original: T) -> T {
        active == id ? changed : original
    }

    @usableFromInline static func less<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
        active == id ? a <= b : active == id + 1 ? a >= b : a < b
    }
    @usableFromInline static func lessOrEqual<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
        active == id ? a < b : active == id + 1 ? a > b : a <= b
    }
    @usableFromInline static func greater<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
        less(id, b, a)
    }
    @usableFromInline static func greaterOrEqual<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
        lessOrEqual(id, b, a)
    }

    @usableFromInline static func and(_ id: Int, _ a: Bool, _ b: @autoclosure () -> Bool) -> Bool {
        active == id ? a : active == id + 1 ? b() : active == id + 2 ? a || b() : a && b()
    }
    @usableFromInline static func or(_ id: Int, _ a: Bool, _ b: @autoclosure () -> Bool) -> Bool {
        active == id ? a : active == id + 1 ? b() : active == id + 2 ? a && b() : a || b()
    }

    @usableFromInline static func plus<T: AdditiveArithmetic>(_ id: Int, _ a: T, _ b: T) -> T {
        active == id ? a - b : a + b
    }
    @usableFromInline static func minus<T: AdditiveArithmetic>(_ id: Int, _ a: T, _ b: T) -> T {
        active == id ? a + b : a - b
    }
    @usableFromInline static func plus<T: InstantProtocol>(_ id: Int, _ a: T, _ b: T.Duration) -> T {
        a.advanced(by: active == id ? .zero - b : b)
    }
    @usableFromInline static func minus<T: InstantProtocol>(_ id: Int, _ a: T, _ b: T.Duration) -> T {
        a.advanced(by: active == id ? b : .zero - b)
    }
    static func plus(_ id: Int, _ a: Date, _ b: TimeInterval) -> Date {
        active == id ? a - b : a + b
    }
    static func minus(_ id: Int, _ a: Date, _ b: TimeInterval) -> Date {
        active == id ? a + b : a - b
    }
    @usableFromInline static func add<T: AdditiveArithmetic>(_ id: Int, _ a: inout T, _ b: T) {
        if active == id { a -= b } else { a += b }
    }
    @usableFromInline static func subtract<T: AdditiveArithmetic>(_ id: Int, _ a: inout T, _ b: T) {
        if active == id { a += b } else { a -= b }
    }

    @usableFromInline static func plus<T: RangeReplaceableCollection>(_ id: Int, _ a: T, _ b: T) -> T {
        active == id ? a : a + b
    }
    @usableFromInline static func add<T: RangeReplaceableCollection>(_ id: Int, _ a: inout T, _ b: T) {
        if active != id { a += b }
    }

    @usableFromInline static func minimum<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> T {
        active == id ? max(a, b) : min(a, b)
    }
    @usableFromInline static func maximum<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> T {
        active == id ? min(a, b) : max(a, b)
    }
}
