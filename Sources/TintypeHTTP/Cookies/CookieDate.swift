import Foundation

/// Dates in the `Expires` attribute of cookies, whose many forms RFC 6265, 5.1.1 reads by their parts.
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private struct Parts {
        var secondsOfDay: Int?
        var day: Int?
        var month: Int?
        var year: Int?

        /// Takes the first part that is missing and that the token can be.
        mutating func take(_ token: Substring) {
            if secondsOfDay == nil, let seconds = CookieDate.seconds(token) {
                secondsOfDay = seconds
            } else if day == nil, let number = CookieDate.number(token, digits: 1...2) {
                day = number
            } else if month == nil, let index = months.firstIndex(where: { token.lowercased().hasPrefix($0) }) {
                month = index + 1
            } else if year == nil, let number = CookieDate.number(token, digits: 2...4) {
                year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
            }
        }
    }

    /// Parses a date; returns `nil` if it lacks a part, or is before the year 1601.
    static func parse(_ text: String) -> Date? {
        var parts = Parts()
        for token in text.split(whereSeparator: isDelimiter) { parts.take(token) }
        guard let day = parts.day, let month = parts.month, let year = parts.year, let seconds = parts.secondsOfDay,
            year >= 1601
        else { return nil }
        return HTTPDate.date(year: year, month: month, day: day, seconds)
    }

    /// Whether a character separates parts: everything printable except letters, digits and colons, and the tab.
    private static func isDelimiter(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return byte == 0x09
            || (0x20...0x7E).contains(byte) && byte != 0x3A && !character.isLetter && !character.isNumber
    }

    /// Returns the seconds since midnight of a token such as `8:49:37`.
    private static func seconds(_ token: Substring) -> Int? {
        let fields = token.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].utf8.count <= 2, fields[1].utf8.count <= 2,
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2), hour < 24, minute < 60, second < 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    /// Returns the number at the start of a token. A digit must not follow it.
    private static func number(_ token: Substring, digits: ClosedRange<Int>) -> Int? {
        let text = token.utf8.prefix { (0x30...0x39).contains($0) }
        return digits.contains(text.count) ? Int(Substring(text)) : nil
    }
}
