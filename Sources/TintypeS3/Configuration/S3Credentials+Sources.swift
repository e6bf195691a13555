import Foundation
public import TintypeCore

extension S3Credentials {
    /// Returns the credentials in environment variables: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
    /// `AWS_SESSION_TOKEN`. `nil` without the first two.
    public init?(environment variables: [String: String]) {
        guard let id = variables["AWS_ACCESS_KEY_ID"], let secret = variables["AWS_SECRET_ACCESS_KEY"],
            !id.isEmpty, !secret.isEmpty
        else { return nil }
        let token = variables["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        self.init(accessKeyID: id, secretAccessKey: secret, sessionToken: token)
    }

    /// Reads the credentials of a profile from a file of AWS tools. Blocks.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A leading `~` stands for the home directory.
    ///   - profile: The name of the profile.
    /// - Throws: `TintypeError.Code.notFound` if there is no such file or no such profile with keys;
    ///   `TintypeError.Code.unreadable`.
    public init(file path: String, profile: String = "default") throws(TintypeError) {
        let file = try LocalFile(reading: NSString(string: path).expandingTildeInPath)
        guard file.byteCount <= CredentialsFile.maximumByteCount else {
            throw TintypeError(
                .unreadable, stage: .request, "more than \(CredentialsFile.maximumByteCount) bytes", subject: path)
        }
        let text = String(decoding: try file.read(file.byteCount, from: 0), as: UTF8.self)
        guard let credentials = CredentialsFile(text).credentials(of: profile) else {
            throw TintypeError(.notFound, stage: .request, "no keys for the profile \(profile)", subject: path)
        }
        self = credentials
    }

    /// Finds credentials as AWS tools do: first in environment variables, then in the shared file. Blocks.
    ///
    /// The file is `AWS_SHARED_CREDENTIALS_FILE`, or else `~/.aws/credentials`; the profile is `AWS_PROFILE`, or else
    /// `default`.
    ///
    /// - Returns: `nil` if there are none, and no variable names a file or a profile.
    /// - Throws: The errors of ``init(file:profile:)`` if a variable names a file or a profile.
    public static func standard(environment variables: [String: String]) throws(TintypeError) -> S3Credentials? {
        if let credentials = S3Credentials(environment: variables) { return credentials }
        let path = variables["AWS_SHARED_CREDENTIALS_FILE"]
        let profile = variables["AWS_PROFILE"]
        do throws(TintypeError) {
            let home = variables["HOME"] ?? "~"
            return try S3Credentials(file: path ?? "\(home)/.aws/credentials", profile: profile ?? "default")
        } catch {
            guard path == nil, profile == nil, error.code == .notFound else { throw error }
            return nil
        }
    }
}
