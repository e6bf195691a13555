import Foundation

/// The shared credentials file of AWS tools: sections with the names of profiles, and lines such as
/// `aws_access_key_id = AKID`.
///
/// A pure reader of its text. Only the three settings that it needs are read; everything else is skipped, as other
/// tools keep settings of their own there.
struct CredentialsFile: Sendable {
    /// The largest file that is read, in bytes.
    static let maximumByteCount = 256 << 10

    private var profiles: [String: [String: String]] = [:]

    /// Reads the text of a file.
    init(_ text: String) {
        var profile: String?
        // A line that begins with a space belongs to the nested settings of the line before it.
        for line in text.split(whereSeparator: \.isNewline) where line.first?.isWhitespace == false {
            if line.hasPrefix("[") {
                profile = Self.profile(line)
                if let profile, profiles[profile] == nil { profiles[profile] = [:] }
            } else if let profile, let (name, value) = Self.setting(line) {
                profiles[profile]?[name] = value
            }
        }
    }

    /// Returns the credentials of a profile; `nil` if there is no such profile, or it has no keys.
    func credentials(of profile: String) -> S3Credentials? {
        guard let settings = profiles[profile], let id = settings["aws_access_key_id"],
            let secret = settings["aws_secret_access_key"], !id.isEmpty, !secret.isEmpty
        else { return nil }
        let token = settings["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 }
        return S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token)
    }

    /// Reads `[name]`, or `[profile name]` as in the file of the other settings; `nil` for an invalid line, whose
    /// section is skipped.
    private static func profile(_ line: Substring) -> String? {
        guard let end = line.firstIndex(of: "]") else { return nil }
        let name = line[line.index(after: line.startIndex)..<end].trimmingCharacters(in: .whitespaces)
        let plain = name.hasPrefix("profile ") ? name.dropFirst(8).trimmingCharacters(in: .whitespaces) : name
        return plain.isEmpty ? nil : plain
    }

    private static func setting(_ line: Substring) -> (name: String, value: String)? {
        guard line.first != "#", line.first != ";", let equals = line.firstIndex(of: "=") else { return nil }
        let name = line[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
        return (name, line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces))
    }
}
