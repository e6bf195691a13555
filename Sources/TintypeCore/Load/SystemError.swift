import Foundation

/// The C library's words for its error numbers.
package enum SystemError {
    /// For example `"permission denied"`.
    package static func description(_ number: Int32) -> String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
