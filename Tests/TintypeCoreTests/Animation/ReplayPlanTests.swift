import Testing

@testable import TintypeCore

@Suite struct ReplayPlanTests {
    static let canvas = PixelSize(width: 4, height: 4)

    /// Makes a plan from letters: k keeps, c clears and u undoes a corner. Capitals are opaque and cover the canvas.
    private func plan(_ letters: String) -> ReplayPlan {
        ReplayPlan(letters.map(Self.frame), canvas: Self.canvas)
    }

    private static func frame(_ letter: Character) -> AnimationFrame {
        let size = letter.isUppercase ? canvas : PixelSize(width: 2, height: 2)
        let disposals: [String: AnimationFrame.Disposal] = ["k": .keep, "c": .background, "u": .previous]
        return AnimationFrame(
            rect: PixelRect(x: 0, y: 0, size: size), duration: 0.1, disposal: disposals[letter.lowercased()] ?? .keep,
            hasAlpha: !letter.isUppercase)
    }

    @Test(
        arguments: [
            ("Kkkk", [nil, 0, 1, 2]), ("kkKk", [nil, 0, nil, 2]), ("KCkk", [nil, nil, nil, 2]),
            ("kckk", [nil, 0, 1, 2]),
            ("cckk", [nil, nil, nil, 2]), ("KuukU", [nil, 0, 0, 0, nil]), ("uukk", [nil, nil, nil, 2]),
            ("KUkk", [nil, nil, 0, 2]), ("cuck", [nil, nil, nil, nil]), ("KCuk", [nil, nil, nil, nil]),
        ] as [(String, [Int?])])
    func basesAreTheFramesThatRemainVisible(_ letters: String, _ bases: [Int?]) {
        #expect(plan(letters).bases == bases)
    }

    @Test(
        arguments: [
            ("Kkkk", 3, nil, [0, 1, 2, 3], true), ("Kkkk", 3, 1, [2, 3], false), ("Kkkk", 3, 2, [3], false),
            ("Kkkk", 1, 3, [0, 1], true), ("kkKk", 3, nil, [2, 3], true), ("kkKk", 3, 1, [2, 3], true),
            ("Kuuk", 3, 0, [3], false), ("Kuuk", 3, nil, [0, 3], true), ("Kuuk", 2, 0, [2], false),
        ] as [(String, Int, Int?, [Int], Bool)])
    func thePathContinuesFromTheShownFrame(
        _ letters: String, _ target: Int, _ shown: Int?, _ frames: [Int], _ startsClear: Bool
    ) {
        let path = plan(letters).path(to: target, from: shown)
        #expect(path.frames == frames && path.startsClear == startsClear)
    }
}
