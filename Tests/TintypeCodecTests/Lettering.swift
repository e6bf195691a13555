/// Letters of 5 × 7 dots for the labels of contact sheets, which must look the same on every machine.
enum Lettering {
    private static let scale = 2
    /// The height of a line in pixels.
    static let height = 7 * scale

    /// - Parameter dot: Called for each pixel of the text, whose top left corner is at `x`, `y`.
    static func draw(_ text: String, x: Int, y: Int, dot: (_ x: Int, _ y: Int) -> Void) {
        for (index, letter) in text.enumerated() {
            for (row, line) in (glyphs[letter] ?? "").split(separator: " ").enumerated() {
                for (column, mark) in line.enumerated() where mark == "#" {
                    let (left, top) = (x + (index * 6 + column) * scale, y + row * scale)
                    for offset in 0..<scale * scale { dot(left + offset % scale, top + offset / scale) }
                }
            }
        }
    }

    private static let glyphs: [Character: String] = [
        "A": ".###. #...# #...# ##### #...# #...# #...#",
        "B": "####. #...# #...# ####. #...# #...# ####.",
        "C": ".#### #.... #.... #.... #.... #.... .####",
        "E": "##### #.... #.... ####. #.... #.... #####",
        "F": "##### #.... #.... ####. #.... #.... #....",
        "G": ".#### #.... #.... #..## #...# #...# .####",
        "H": "#...# #...# #...# ##### #...# #...# #...#",
        "I": ".###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.",
        "J": "..### ...#. ...#. ...#. ...#. #..#. .##..",
        "L": "#.... #.... #.... #.... #.... #.... #####",
        "M": "#...# ##.## #.#.# #.#.# #...# #...# #...#",
        "N": "#...# ##..# ##..# #.#.# #..## #..## #...#",
        "O": ".###. #...# #...# #...# #...# #...# .###.",
        "P": "####. #...# #...# ####. #.... #.... #....",
        "S": ".#### #.... #.... .###. ....# ....# ####.",
        "T": "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",
        "V": "#...# #...# #...# #...# .#.#. .#.#. ..#..",
        "W": "#...# #...# #...# #.#.# #.#.# ##.## #...#",
        "X": "#...# #...# .#.#. ..#.. .#.#. #...# #...#",
    ]
}
