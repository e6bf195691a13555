/// Lets a C codec ask a Swift closure whether to give up. The owner keeps it alive as long as C may ask.
package final class CancelHook: Sendable {
    private let isCancelled: @Sendable () -> Bool

    package init(_ isCancelled: @escaping @Sendable () -> Bool) {
        self.isCancelled = isCancelled
    }

    /// What ``ask`` is to be called with. Not retained.
    package var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    package static let ask: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { pointer in
        pointer.map { Unmanaged<CancelHook>.fromOpaque($0).takeUnretainedValue().isCancelled() } ?? false
    }
}
