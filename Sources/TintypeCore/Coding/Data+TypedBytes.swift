package import Foundation

extension Data {
    /// As `withUnsafeBytes`, which on this platform does not tell the type of what it throws.
    package func withTypedBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        try withUnsafeBytes { bytes in Result { () throws(TintypeError) in try body(bytes) } }.get()
    }
}
