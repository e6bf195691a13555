import Foundation
import TintypeHTTP

/// What is known of a rendition before its bytes are read.
struct RenditionHead: Hashable, Sendable {
    /// The media type.
    var contentType: String
    /// The number of bytes.
    var byteCount: Int
    /// The entity tag and modification date.
    var validators: Validators
    /// The value of `Content-Disposition`; `nil` for none.
    var disposition: String?
    /// Fields about how the rendition was made, such as `Tintype-Frames`.
    var notes = HTTPFields()
}

/// The response with a rendition: its head, and which bytes of the rendition are its body.
///
/// It is decided from the head of the rendition, so a rendition that is not sent is neither read nor decoded.
struct RenditionResponse: Hashable, Sendable {
    /// The status code: 200, 206, 304, 412 or 416.
    let status: Int
    /// The header fields.
    let fields: HTTPFields
    /// The bytes of the rendition that are the body; `nil` for none.
    let range: Range<Int>?

    /// What a response depends on besides the rendition.
    struct Context: Sendable {
        /// `GET` or `HEAD`.
        var method: String
        /// The header fields of the request.
        var request: HTTPFields
        /// The fields of the request that chose the rendition.
        var negotiation: Negotiation
        /// For how long the response may be cached.
        var cache: CacheRule
        /// The web origins that may read it.
        var crossOrigin = CrossOriginPolicy.none
    }

    /// Decides the response.
    ///
    /// HEAD has the fields of GET. Ranges are defined for GET alone, so HEAD ignores them (RFC 9110, 14.2).
    init(_ head: RenditionHead, _ context: Context) {
        let conditions = RequestConditions(context.request)
        var fields = Self.commonFields(head, context)
        switch conditions.outcome(for: head.validators) {
        case .notModified:
            (status, self.fields, range) = (304, fields, nil)
            return
        case .failed:
            (status, self.fields, range) = (412, Self.withoutContent(fields), nil)
            return
        case .proceed: break
        }
        Self.addContent(head, to: &fields)
        let isPartial = context.method == "GET" && conditions.allowRange(of: head.validators)
        switch isPartial ? ByteRange(context.request, length: head.byteCount) : .whole {
        case .whole:
            fields["Content-Length"] = "\(head.byteCount)"
            status = 200
            range = context.method == "HEAD" ? nil : 0..<head.byteCount
        case .part(let part):
            fields["Content-Length"] = "\(part.count)"
            fields["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(head.byteCount)"
            (status, range) = (206, part)
        case .unsatisfiable:
            fields = Self.withoutContent(Self.commonFields(head, context))
            fields["Content-Range"] = "bytes */\(head.byteCount)"
            (status, range) = (416, nil)
        }
        self.fields = fields
    }

    /// Returns the response with its body; `nil` if the bytes are not those that the head described.
    ///
    /// - Parameter bytes: Returns the rendition. Not called for a response without a body.
    func response(_ head: RenditionHead, bytes: () throws -> Data) rethrows -> ServerResponse? {
        guard let range else { return ServerResponse(status: status, fields: fields) }
        let data = try bytes()
        guard data.count == head.byteCount else { return nil }
        let start = data.startIndex
        return ServerResponse(
            status: status, fields: fields, body: data[start + range.lowerBound..<start + range.upperBound])
    }

    /// The fields that also a 304 response has (RFC 9110, 15.4.5).
    private static func commonFields(_ head: RenditionHead, _ context: Context) -> HTTPFields {
        var fields: HTTPFields = [
            "ETag": head.validators.tag.text, "Last-Modified": HTTPDate.text(head.validators.lastModified),
            "Cache-Control": context.cache.control,
        ]
        if let age = context.cache.age { fields["Age"] = "\(age)" }
        VaryList.add(context.negotiation.vary, to: &fields)
        if context.negotiation.asksForHints { fields["Accept-CH"] = Negotiation.acceptedHints }
        context.crossOrigin.add(to: &fields, for: context.request)
        ProtectiveFields.add(to: &fields)
        return fields
    }

    private static func addContent(_ head: RenditionHead, to fields: inout HTTPFields) {
        fields["Content-Type"] = head.contentType
        fields["Accept-Ranges"] = "bytes"
        if let disposition = head.disposition { fields["Content-Disposition"] = disposition }
        for (name, value) in head.notes.all { fields[name] = value }
    }

    /// The fields of a failure, which no cache may keep in place of the rendition.
    private static func withoutContent(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        (fields["Last-Modified"], fields["Age"]) = (nil, nil)
        fields["Cache-Control"] = "no-store"
        fields["Content-Length"] = "0"
        return fields
    }
}
