/// Splitting by bytes. A separator that is followed by a combining character is no character of its own to `String`,
/// but it is one to every other program that reads or signs the same URL.
extension StringProtocol {
    /// Returns the parts between the occurrences of a byte; one part if there is no occurrence.
    func parts(separatedBy separator: Unicode.Scalar) -> [String] {
        let byte = UInt8(truncatingIfNeeded: separator.value)
        return utf8.split(separator: byte, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the parts between the occurrences of a text that is not empty; one part if there is no occurrence.
    func parts(separatedBy separator: String) -> [String] {
        let (bytes, pattern) = (Array(utf8), Array(separator.utf8))
        guard !pattern.isEmpty else { return [String(self)] }
        var (parts, start, index) = ([String](), 0, 0)
        while index + pattern.count <= bytes.count {
            if bytes[index..<index + pattern.count].elementsEqual(pattern) {
                parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
                index += pattern.count
                start = index
            } else {
                index += 1
            }
        }
        return parts + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    /// Returns what is before and after the first occurrence of a text; `nil` if there is none.
    func cut(at separator: String) -> (before: String, after: String)? {
        guard let first = separator.utf8.first else { return nil }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            if utf8[start...].starts(with: separator.utf8) {
                let end = utf8.index(start, offsetBy: separator.utf8.count)
                return (String(decoding: utf8[..<start], as: UTF8.self), String(decoding: utf8[end...], as: UTF8.self))
            }
            rest = utf8[utf8.index(after: start)...]
        }
        return nil
    }

    /// Returns what follows a prefix, compared by bytes; `nil` if the text does not begin with it.
    func dropping(prefix: String) -> String? {
        utf8.starts(with: prefix.utf8) ? String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }
}
