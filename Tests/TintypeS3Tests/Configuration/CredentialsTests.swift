import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP

@testable import TintypeS3

@Suite struct CredentialsTests {
    private let file = """
        # a comment
        [default]
        aws_access_key_id = AKIDEFAULT
        aws_secret_access_key=secret/with+base64=
        s3 =
            max_concurrent_requests = 20
            aws_access_key_id = nested

        [ work ]
        AWS_ACCESS_KEY_ID=AKIWORK
        aws_secret_access_key = two words
        aws_session_token = token==
        ; another comment
        [profile other]
        aws_access_key_id = AKIOTHER
        aws_secret_access_key = x
        [incomplete]
        aws_access_key_id = AKI
        [broken
        aws_secret_access_key = y
        """

    /// Writes the file into a folder of its own, and removes it after the test.
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "tintype-s3-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url)
        try body(url.path(percentEncoded: false))
    }

    @Test func profilesHaveTheirKeys() {
        let read = CredentialsFile(file)
        #expect(
            read.credentials(of: "default")
                == S3Credentials(accessKeyID: "AKIDEFAULT", secretAccessKey: "secret/with+base64="))
        #expect(
            read.credentials(of: "work")
                == S3Credentials(accessKeyID: "AKIWORK", secretAccessKey: "two words", sessionToken: "token=="))
        #expect(read.credentials(of: "other")?.accessKeyID == "AKIOTHER")
        #expect(read.credentials(of: "incomplete") == nil && read.credentials(of: "absent") == nil)
    }

    @Test(arguments: ["", "[", "[]", "[a]\r\n", "=", "[a]\n=\n", "\u{0}", "[default]\naws_access_key_id\n"])
    func otherTextsHaveNoKeys(text: String) {
        #expect(CredentialsFile(text).credentials(of: "default") == nil)
        #expect(CredentialsFile(text).credentials(of: "a") == nil)
    }

    @Test func linesMayEndWithCarriageReturns() {
        let read = CredentialsFile(file.replacing("\n", with: "\r\n"))
        #expect(read.credentials(of: "default")?.secretAccessKey == "secret/with+base64=")
    }

    @Test func variablesTakePrecedenceOverTheFile() throws {
        try withFile(file) { path in
            let variables = [
                "AWS_ACCESS_KEY_ID": "AKIENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "",
                "AWS_SHARED_CREDENTIALS_FILE": path,
            ]
            let credentials = try S3Credentials.standard(environment: variables)
            #expect(credentials == S3Credentials(accessKeyID: "AKIENV", secretAccessKey: "s"))
        }
    }

    @Test func theVariablesNameTheFileAndTheProfile() throws {
        try withFile(file) { path in
            var variables = ["AWS_SHARED_CREDENTIALS_FILE": path]
            let standard = try S3Credentials.standard(environment: variables)
            #expect(standard?.accessKeyID == "AKIDEFAULT")
            variables["AWS_PROFILE"] = "work"
            let work = try S3Credentials.standard(environment: variables)
            #expect(work?.accessKeyID == "AKIWORK")
            variables["AWS_PROFILE"] = "absent"
            expectError(.notFound) { try S3Credentials.standard(environment: variables) }
        }
    }

    @Test func withoutAFileThereAreNoKeys() throws {
        #expect(try S3Credentials.standard(environment: ["HOME": "/nonexistent"]) == nil)
        expectError(.notFound) {
            try S3Credentials.standard(environment: ["AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"])
        }
    }

    @Test func aFileThatIsTooLargeIsRefused() throws {
        let text = file + String(repeating: "\n", count: CredentialsFile.maximumByteCount)
        try withFile(text) { path in
            expectError(.unreadable) { try S3Credentials(file: path) }
        }
    }

    @Test func noDescriptionHasASecret() {
        let credentials = S3Credentials(
            accessKeyID: "AKID", secretAccessKey: "SECRET-WORD", sessionToken: "TOKEN-WORD")
        var configuration = S3Configuration(bucket: "photos", credentials: credentials)
        configuration.endpoint = URL(string: "http://user:SECRET-WORD@127.0.0.1:1")
        configuration.security.clientCertificate = ClientCertificate(certificates: "", key: "SECRET-WORD")
        let client = try? S3Client(S3Configuration(bucket: "photos", credentials: credentials))
        #expect(client != nil)
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(configuration, to: &dumped)
        dump(client, to: &dumped)
        dump([credentials], to: &dumped)
        let texts = [
            "\(credentials)", String(reflecting: credentials), "\(configuration)", String(reflecting: configuration),
            "\(Optional(credentials) as Any)", "\(String(describing: client))", dumped,
        ]
        for text in texts { #expect(!text.contains("SECRET-WORD") && !text.contains("TOKEN-WORD")) }
        #expect("\(credentials)".contains("AKID"))
    }
}
