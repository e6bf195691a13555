import Foundation

extension ImageSource {
    /// The pixels a point that the source's name tells: 2 for `logo@2x.png`, 3 for `logo@3x.png`, 1 for others.
    ///
    /// The rule of the original system: the mark may stand anywhere in a name of at least eight characters, and may be
    /// percent-encoded in a URL.
    var scaleInName: Double {
        // Few names have the first character of a mark, which is found much sooner than a mark.
        guard let name, name.utf8.count >= 8, name.utf8.contains(where: { $0 == 0x40 || $0 == 0x25 }) else { return 1 }
        return Self.marks.first { name.contains($0.mark) }?.scale ?? 1
    }

    private static let marks: [(mark: String, scale: Double)] = [
        ("@2x.", 2), ("%402x.", 2), ("@3x.", 3), ("%403x.", 3),
    ]

    /// What may carry a mark: not the megabytes of a data URL.
    private var name: String? {
        expectedOrigin == .data && url != nil ? nil : url?.absoluteString ?? identity
    }
}
