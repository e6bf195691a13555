extension PixelBuffer {
    /// The straight colour at a position; `nil` outside of the picture.
    public func color(x: Int, y: Int) -> Color? {
        guard x >= 0, y >= 0, x < size.width, y < size.height else { return nil }
        return Color(self[x, y])
    }

    /// The straight colours of the part of a rectangle that lies in the picture, row by row; empty when none does.
    ///
    /// O(pixels of the part).
    public func colors(in rect: PixelRect) -> [Color] {
        guard let part = rect.clipped(to: size) else { return [] }
        var colors: [Color] = []
        colors.reserveCapacity(part.size.area)
        for y in part.y..<part.y + part.size.height {
            for x in part.x..<part.x + part.size.width { colors.append(Color(self[x, y])) }
        }
        return colors
    }
}
