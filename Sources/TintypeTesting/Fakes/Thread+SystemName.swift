import Foundation

extension Thread {
    /// The name of the calling thread in the system (proc(5)), or an empty string if the system does not offer it.
    package static var systemName: String {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return (name ?? "").trimmingCharacters(in: .newlines)
    }
}
