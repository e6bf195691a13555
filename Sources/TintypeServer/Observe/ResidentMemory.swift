import Foundation

/// The resident memory of the process.
package enum ResidentMemory {
    /// The memory in bytes; `nil` if the system does not tell.
    package static var bytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return pages(in: text).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// Parses the second field of `/proc/self/statm` (proc(5)): the number of resident pages.
    static func pages(in text: String) -> Int? {
        let fields = text.split(separator: " ")
        return fields.count >= 2 ? Int(fields[1]) : nil
    }
}
