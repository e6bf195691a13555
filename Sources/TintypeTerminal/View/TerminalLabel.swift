/// Shows a line of text in a rectangle of a terminal.
public final class TerminalLabel: Sendable {
    private let region: TerminalRegion

    /// Creates an empty label.
    public init(_ session: TerminalSession, in rect: CellRect) {
        region = session.makeRegion(rect)
    }

    /// The cells of the label.
    public var rect: CellRect {
        get { region.rect }
        set { region.rect = newValue }
    }

    /// Shows a text in the middle. Control characters are escaped, and what does not fit is cut off.
    public func show(_ text: String) {
        region.show(text.isEmpty ? .nothing : .text([text]))
    }
}
