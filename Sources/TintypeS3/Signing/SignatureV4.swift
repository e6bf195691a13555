import Foundation
import TintypeCore

/// The dates of Signature Version 4, in UTC.
struct SigningDate: Hashable, Sendable {
    /// The day, such as `20130524`.
    let day: String
    /// The second, such as `20130524T000000Z`.
    let text: String

    /// Creates the date of a moment. Years are those from 1970 to 9999.
    init(_ date: Date) {
        let last = 253_402_300_799.0
        let seconds = Int(min(max(date.timeIntervalSince1970, 0), last))
        let (days, time) = (seconds / 86_400, seconds % 86_400)
        day = Self.day(days)
        text = "\(day)T\(Self.padded(time / 3600))\(Self.padded(time / 60 % 60))\(Self.padded(time % 60))Z"
    }

    /// Returns the civil date of a number of days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms"). A calendar of Foundation takes a hundred times as long as all hashes of a signature.
    private static func day(_ days: Int) -> String {
        let shifted = days + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, to: 4))\(padded(month))\(padded(day))"
    }

    private static func padded(_ number: Int, to width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A signature of version 4: what is signed, and with which key.
struct SignatureV4: Sendable {
    static let algorithm = "AWS4-HMAC-SHA256"

    /// What a key is valid for: one day, region and service.
    struct Scope: Hashable, Sendable {
        let day: String
        let region: String
        let service: String

        /// The scope as a text, such as `20130524/us-east-1/s3/aws4_request`.
        var text: String { "\(day)/\(region)/\(service)/aws4_request" }

        /// Derives the key from a secret.
        func key(from secret: String) -> HMACSHA256 {
            [region, service, "aws4_request"].reduce(
                HMACSHA256(key: HMACSHA256(key: Array("AWS4\(secret)".utf8)).hash(of: day))
            ) { HMACSHA256(key: $0.hash(of: $1)) }
        }
    }

    let request: CanonicalRequest
    let date: SigningDate
    let scope: Scope

    /// Creates the signature of a request to a region.
    init(of request: CanonicalRequest, at date: SigningDate, region: String, service: String = "s3") {
        self.request = request
        self.date = date
        scope = Scope(day: date.day, region: region, service: service)
    }

    /// The text that the key signs.
    var stringToSign: String { "\(Self.algorithm)\n\(date.text)\n\(scope.text)\n\(request.hash)" }

    /// Returns the signature in hexadecimal.
    func value(_ key: HMACSHA256) -> String { key.hash(of: stringToSign).hexadecimal }

    /// Returns the value of the `Authorization` field.
    func authorization(_ accessKeyID: String, _ key: HMACSHA256) -> String {
        "\(Self.algorithm) Credential=\(accessKeyID)/\(scope.text), SignedHeaders=\(request.signedHeaders), "
            + "Signature=\(value(key))"
    }
}

/// The last key that was derived: deriving one takes more time than the rest of a signature.
struct SigningKeyCache: Sendable {
    private var last: (scope: SignatureV4.Scope, secret: String, key: HMACSHA256)?

    /// Returns the key of a scope, and derives it if it is another one than the last.
    mutating func key(for scope: SignatureV4.Scope, secret: String) -> HMACSHA256 {
        if let last, last.scope == scope, last.secret == secret { return last.key }
        let key = scope.key(from: secret)
        last = (scope, secret, key)
        return key
    }
}
