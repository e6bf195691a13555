package import Foundation

// Helpers that codecs share.

/// Lets a C codec poll a Swift closure for cancellation.
///
/// Pass ``callback`` and ``pointer`` to the C function. The owner must keep the hook alive as long as C may call it.
package final class CancelHook: Sendable {
    private let isCancelled: @Sendable () -> Bool

    /// Creates a hook that calls `isCancelled`, from whatever thread the C codec runs on.
    package init(_ isCancelled: @escaping @Sendable () -> Bool) {
        self.isCancelled = isCancelled
    }

    /// The argument to pass to ``callback``. It does not retain the hook.
    package var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The C function to poll; `true` means that decoding should stop.
    package static let callback: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { pointer in
        pointer.map { Unmanaged<CancelHook>.fromOpaque($0).takeUnretainedValue().isCancelled() } ?? false
    }
}

/// A copy of encoded bytes at a fixed address, for libraries that keep a pointer to their input between calls.
///
/// `@unchecked Sendable` because the bytes are written once, in `init`, and only read from then on.
package final class PinnedBytes: @unchecked Sendable {
    /// The bytes, valid as long as this object lives.
    package let bytes: UnsafeRawBufferPointer

    /// Copies `data`.
    package init(_ data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(data.count, 1), alignment: 16)
        data.withUnsafeBytes { copy.copyMemory(from: $0) }
        bytes = UnsafeRawBufferPointer(rebasing: copy[..<data.count])
    }

    deinit {
        bytes.deallocate()
    }
}

extension Data {
    /// Calls `body` with the bytes, as `withUnsafeBytes` does, but with a typed throw, which Foundation's method lacks
    /// on Linux.
    package func withTypedBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        try withUnsafeBytes { bytes in Result { () throws(TintypeError) in try body(bytes) } }.get()
    }
}

extension PixelSize {
    /// Whether an embedded thumbnail of this size can replace `image`: it has at least the pixels of `minimum`, and the
    /// same aspect ratio. Some cameras write thumbnails with black bars, whose aspect ratio differs.
    package func isThumbnail(of image: PixelSize, atLeast minimum: PixelSize) -> Bool {
        guard isPositive, image.isPositive, width >= minimum.width, height >= minimum.height else { return false }
        let shape = Double(width) / Double(height) / (Double(image.width) / Double(image.height))
        // Sides are whole pixels, so each may be rounded by one.
        return abs(shape - 1) <= 1.5 / Double(min(width, height))
    }
}
