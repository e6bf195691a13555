/// Why the URL of an image request was refused.
///
/// The text is for the developer of the client. It names options and arguments, but never a key.
package struct ImageURLError: Error, Hashable, Sendable {
    /// What is wrong with a URL.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The path is not that of an image URL: a part is missing, too long, or not decodable.
        case path = "invalid-path"
        /// The path has the form that imgproxy used before version 2.
        case oldForm = "obsolete-path"
        /// No option has this name.
        case unknownOption = "unknown-option"
        /// The operator does not allow this option.
        case forbiddenOption = "forbidden-option"
        /// An argument of an option is missing, malformed or out of range.
        case argument = "invalid-argument"
        /// The URL was valid until a time that has passed.
        case expired
        /// The signature is missing or wrong.
        case signature = "invalid-signature"
        /// The source is none that the operator allows.
        case source = "forbidden-source"
    }

    /// What is wrong.
    package let kind: Kind
    /// The part of the URL that is wrong, and what is expected instead, in English.
    package let detail: String

    /// Creates an error.
    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// The HTTP status of the response (RFC 9110, 15.5).
    package var status: Int {
        switch kind {
        case .path, .oldForm, .unknownOption, .argument: 400
        case .signature, .source, .forbiddenOption: 403
        case .expired: 410
        }
    }
}

extension ImageURLError: CustomStringConvertible {
    /// The detail, after the name of the kind.
    package var description: String { "\(kind.rawValue): \(detail)" }
}
