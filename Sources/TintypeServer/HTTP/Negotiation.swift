import TintypeHTTP

/// Which header fields of a request choose the rendition. All are off by default.
struct NegotiationSettings: Hashable, Sendable {
    /// The formats that a client gets if it accepts them, the preferred one first.
    var formats: [NegotiableFormat]
    /// Whether the size depends on client hints.
    var usesClientHints: Bool
    /// Whether the quality depends on `Save-Data`.
    var usesSaveData: Bool

    /// Creates settings.
    init(formats: [NegotiableFormat] = [], usesClientHints: Bool = false, usesSaveData: Bool = false) {
        self.formats = formats
        self.usesClientHints = usesClientHints
        self.usesSaveData = usesSaveData
    }
}

/// What a request says about the rendition outside of its URL, and the header fields that a cache must compare.
struct Negotiation: Hashable, Sendable {
    /// The formats of the client.
    let acceptClass: AcceptClass
    /// The size and the saving that the client asks for.
    let hints: ClientHints
    /// The names for `Vary`, in a fixed order.
    ///
    /// They depend on the settings and the URL alone: a response that the field did not change has them too, because a
    /// cache would otherwise pass it to clients that the field does change it for (RFC 9110, 12.5.5).
    let vary: [String]
    /// Whether the response asks for client hints.
    let asksForHints: Bool

    /// The value of `Accept-CH` in responses that depend on client hints.
    static let acceptedHints = "Sec-CH-DPR, Sec-CH-Width"

    /// Reads the header fields of a request that the settings allow to choose the rendition.
    ///
    /// - Parameter hasFormat: Whether the URL names the output format, so that `Accept` changes nothing.
    init(_ fields: HTTPFields, hasFormat: Bool, settings: NegotiationSettings) {
        var vary: [String] = []
        if hasFormat || settings.formats.isEmpty {
            acceptClass = .none
        } else {
            acceptClass = AcceptHeader(fields).reduced(to: settings.formats)
            vary.append("Accept")
        }
        var hints = ClientHints.none
        if settings.usesClientHints {
            hints = ClientHints.size(fields)
            vary += ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width"]
        }
        if settings.usesSaveData {
            hints.savesData = ClientHints.savesData(fields)
            vary.append("Save-Data")
        }
        (self.hints, self.vary, asksForHints) = (hints, vary, settings.usesClientHints)
    }
}
