import Foundation

/// Dates in header fields (RFC 9110, 5.6.7).
enum HTTPDate {
    /// Parses the three formats that recipients must accept; returns `nil` for anything else.
    static func parse(_ text: String) -> Date? {
        let words = text.split { " ,-".contains($0) }.map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT · Sun Nov  6 08:49:37 1994
        guard words.count == 6 || words.count == 5 else { return nil }
        return words.count == 6
            ? date(day: words[1], month: words[2], year: words[3], time: words[4])
            : date(day: words[2], month: words[1], year: words[4], time: words[3])
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func date(day: String, month: String, year: String, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), 0...60) }
        guard let day = number(day, 1...31), let month = months.firstIndex(of: month.lowercased()),
            let year = fullYear(year), clock.count == 3, let hour = clock[0], hour < 24,
            let minute = clock[1], minute < 60, let second = clock[2]
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month + 1, day: day)
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    /// Parses a year of two or four digits. Two digits from 70 on are in the 20th century (RFC 9110, 5.6.7).
    private static func fullYear(_ text: String) -> Int? {
        guard let year = number(text, 0...9999) else { return nil }
        guard text.utf8.count == 2 else { return text.utf8.count == 4 ? year : nil }
        return year < 70 ? 2000 + year : 1900 + year
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Returns the days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
