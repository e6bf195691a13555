import Foundation
import TintypeHTTP

extension HTTPDate {
    /// Returns the date in the form that senders must use: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). A
    /// fraction of a second is dropped, and the year is from 1970 to 9999.
    static func text(_ date: Date) -> String {
        let (days, time) = Int(bounded(date)).quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = civilDate(days)
        // 1 January 1970 was a Thursday.
        return "\(dayNames[days % 7]), \(twoDigits(day)) \(monthNames[month - 1]) \(digits(year, 4)) \(clock(time)) GMT"
    }

    /// Returns the date in the form of RFC 3339, with milliseconds, for logs.
    static func timestamp(_ date: Date) -> String {
        let milliseconds = Int((bounded(date) * 1000).rounded())
        let (days, time) = (milliseconds / 1000).quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = civilDate(days)
        let fraction = digits(milliseconds % 1000, 3)
        return "\(digits(year, 4))-\(twoDigits(month))-\(twoDigits(day))T\(clock(time)).\(fraction)Z"
    }

    private static func bounded(_ date: Date) -> Double { min(max(0, date.timeIntervalSince1970), 253_402_300_799) }

    /// Returns the time of day.
    private static func clock(_ seconds: Int) -> String {
        "\(twoDigits(seconds / 3600)):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
    }

    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func digits(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }

    /// Returns the date of a number of days since 1970-01-01, which is not negative (Howard Hinnant, "chrono-Compatible
    /// Low-Level Date Algorithms").
    private static func civilDate(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
