/// How one axis of a picture is resampled: what counts of the source, and by how much it is shrunk beforehand.
///
/// Weights have 14 bits. So that those of a very large ratio do not all round to nothing, blocks of whole source pixels
/// are averaged first where one output pixel would be made of more than ``mostTaps``.
struct ResampleAxis: Equatable, Sendable {
    /// The source pixels that count; what the filter wants of others counts as the nearest of these.
    let part: Range<Int>
    /// How many source pixels are averaged to one before the filter.
    let factor: Int
    /// Averaged pixels before and after the part, all of the pixel at its edge: what lies outside counts as that one
    /// alone, not as an average of those next to it.
    let margin: Int
    /// What the whole output shows, in averaged pixels from the first of them, which is of the margin if there is one.
    let shown: Range<Double>
    /// The pixels that the whole output has.
    let output: Int
    /// Those of them that are made.
    let kept: Range<Int>

    /// Rounding them all costs less than one of 255 in the worst case, and half as many still follow the filter.
    static let mostTaps = 768.0

    /// - Parameter shown: the part of the source that the output shows, in source pixels, at least a bit of it inside.
    init(source: Int, shown: Range<Double>, output: Int, kept: Range<Int>, filter: ResampleFilter) {
        let first = min(max(Int(shown.lowerBound.rounded(.down)), 0), source - 1)
        part = first..<max(min(Int(shown.upperBound.rounded(.up)), source), first + 1)
        let most = Self.mostTaps / (2 * filter.support)
        let ratio = (shown.upperBound - shown.lowerBound) / Double(output)
        let factor = ratio > most ? Int(ratio * 2 / most) : 1
        let begin = Double(first)
        let margin = factor > 1 ? 1 : 0
        let lower = (shown.lowerBound - begin) / Double(factor) + Double(margin)
        self.shown = lower..<lower + (shown.upperBound - shown.lowerBound) / Double(factor)
        (self.factor, self.margin, self.output, self.kept) = (factor, margin, output, kept)
    }

    /// Averaged pixels, with margins; the last may be of fewer than the others, and is made of the last pixel for those it lacks.
    var count: Int { (part.count + factor - 1) / factor + 2 * margin }

    func weights(_ filter: ResampleFilter) -> ResampleWeights {
        ResampleWeights(source: count, crop: shown, output: output, kept: kept, filter: filter)
    }
}
