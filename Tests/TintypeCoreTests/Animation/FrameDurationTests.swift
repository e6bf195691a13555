import Testing

@testable import TintypeCore

@Suite struct FrameDurationTests {
    @Test(arguments: [
        (0, 0.1), (0.001, 0.1), (0.01, 0.1), (0.010_999, 0.1), (0.011, 0.011), (0.02, 0.02), (0.1, 0.1),
        (655.35, 655.35),
        (-1, 0.1), (-0.0, 0.1), (Double.nan, 0.1), (-Double.infinity, 0.1),
    ])
    func below11MillisecondsIs100(_ stored: Double, _ played: Double) {
        #expect(FrameDuration.played(stored) == played)
    }
}
