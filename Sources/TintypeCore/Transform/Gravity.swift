/// Which part of a picture stays, or where on it another is put.
public enum Gravity: String, CaseIterable, Hashable, Sendable {
    case center
    case top
    case bottom
    case left
    case right
    case topLeft
    case topRight
    case bottomLeft
    case bottomRight
    /// Where there is most to see: see ``SmartCrop``. As a place for another picture, the middle.
    case smart

    /// The rectangle of `size` at this side or corner of a picture of `bounds`; may reach beyond it.
    func rect(_ size: PixelSize, in bounds: PixelSize) -> PixelRect {
        let (across, down) = (bounds.width - size.width, bounds.height - size.height)
        return PixelRect(x: share(horizontal, of: across), y: share(vertical, of: down), size: size)
    }

    /// In halves: 0 is the left, 2 the right.
    private var horizontal: Int {
        switch self {
        case .left, .topLeft, .bottomLeft: 0
        case .right, .topRight, .bottomRight: 2
        case .center, .top, .bottom, .smart: 1
        }
    }

    private var vertical: Int {
        switch self {
        case .top, .topLeft, .topRight: 0
        case .bottom, .bottomLeft, .bottomRight: 2
        case .center, .left, .right, .smart: 1
        }
    }

    private func share(_ halves: Int, of room: Int) -> Int {
        halves == 1 ? room / 2 : halves == 0 ? 0 : room
    }
}
