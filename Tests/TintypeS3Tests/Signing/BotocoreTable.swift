import Foundation

/// The requests that botocore, the library of AWS, has signed: see `scripts/fixtures/make-s3-signatures.py`.
struct BotocoreTable: Decodable {
    struct Signature: Decodable {
        let method: String
        let endpoint: String
        let key: String
        let query: [[String]]
        let headers: [String: String]
        let region: String
        let date: String
        let token: String?
        let payload: String
        let canonical: String
        let stringToSign: String
        let authorization: String
    }

    struct Request: Decodable {
        struct Arguments: Decodable {
            let bucket: String
            let key: String?
            let versionId: String?
            let range: String?
            let ifNoneMatch: String?
            let contentType: String?
            let cacheControl: String?
            let metadata: [String: String]?
        }

        let operation: String
        let arguments: Arguments
        let body: String?
        let endpoint: String?
        let virtualHost: Bool
        let region: String
        let date: String
        let token: String?
        let method: String
        let url: String
        let authorization: String
        let signed: [String: String]
    }

    let botocore: String
    let accessKeyID: String
    let secretAccessKey: String
    let signatures: [Signature]
    let requests: [Request]

    static let standard = Result {
        let url = Bundle.module.bundleURL.appending(path: "Fixtures/signatures.json")
        return try JSONDecoder().decode(BotocoreTable.self, from: Data(contentsOf: url))
    }

    /// Returns the date of a text such as `20130524T000000Z`.
    static func date(_ text: String) throws -> Date {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return try style.parse(text)
    }
}
