import TintypeCore

/// The errors that servers report.
enum RedisServerError {
    /// The code at the beginning of an error: `WRONGTYPE` of `WRONGTYPE Operation against a key …`; empty if there is
    /// none.
    static func code(of text: String) -> String {
        let word = text.prefix { $0 != " " }
        let isCode = word.utf8.count <= 20 && word.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        return isCode ? String(word) : ""
    }

    /// Returns the error of a command that a server refused.
    ///
    /// - Parameter server: The name of the server.
    static func error(_ text: String, server: String) -> TintypeError {
        let quote = "\"\(text.abbreviated(to: 200))\""
        let message =
            switch code(of: text) {
            case "MOVED", "ASK", "CLUSTERDOWN", "CROSSSLOT", "TRYAGAIN":
                """
                the server belongs to a cluster, which is not supported; name one or several single servers instead: \
                \(quote)
                """
            case "OOM":
                "the server is out of memory; set its maxmemory-policy to allkeys-lfu, so that it evicts values: \(quote)"
            case "READONLY": "the server is a read-only replica; name its primary instead: \(quote)"
            default: "the server answered \(quote)"
            }
        return TintypeError(.badStatus, stage: .load, message, subject: server)
    }
}
