package import Foundation

/// A copy of encoded bytes at a place that does not change, for libraries that keep a pointer to them from call to call.
///
/// `@unchecked Sendable` because the bytes are written once, in `init`, and only read from then on.
package final class LastingBytes: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer

    package init(_ data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(data.count, 1), alignment: 16)
        data.withUnsafeBytes { copy.copyMemory(from: $0) }
        bytes = UnsafeRawBufferPointer(rebasing: copy[..<data.count])
    }

    deinit {
        bytes.deallocate()
    }
}
