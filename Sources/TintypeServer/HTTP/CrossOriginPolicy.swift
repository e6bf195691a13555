import TintypeHTTP

/// Which web origins may read the responses in a browser (CORS, Fetch standard, 3.3). None by default.
enum CrossOriginPolicy: Hashable, Sendable {
    /// No origin but the server's own.
    case none
    /// Every origin.
    case any
    /// These origins, such as `https://example.org`.
    case origins(Set<String>)

    /// Adds the fields of a response.
    func add(to response: inout HTTPFields, for request: HTTPFields) {
        switch self {
        case .none: break
        case .any: response["Access-Control-Allow-Origin"] = "*"
        case .origins(let allowed):
            if let origin = request["origin"], allowed.contains(origin) {
                response["Access-Control-Allow-Origin"] = origin
            }
            // Also without the field: a cache would otherwise pass the response to a page of an allowed origin.
            VaryList.add(["Origin"], to: &response)
        }
    }

    /// Adds the fields that only the response to a preflight request has.
    func addPreflight(to response: inout HTTPFields) {
        guard self != .none else { return }
        response["Access-Control-Allow-Methods"] = ServerResponse.allowedMethods
        response["Access-Control-Max-Age"] = "86400"
    }
}

/// The `Vary` field (RFC 9110, 12.5.5).
enum VaryList {
    /// Adds names to the field of a response.
    static func add(_ names: [String], to fields: inout HTTPFields) {
        guard !names.isEmpty else { return }
        let present = fields.list("vary")
        let missing = names.filter { name in !present.contains { $0.lowercased() == name.lowercased() } }
        fields["Vary"] = (present + missing).joined(separator: ", ")
    }
}
