import TintypeCore

/// The work of drawing a part of a document.
struct SVGWork: Equatable {
    /// The number of elements.
    var elements = 0.0
    /// The number of samples that filters take per pixel.
    var filterSamples = 0.0
    /// The number of samples that grows with the area of the drawing's scale, at a scale of 1.
    var windowSamples = 0.0

    /// The work of drawing this for each of `count` elements that inherit it. A filter is not inherited.
    func repeated(_ count: Int) -> SVGWork {
        SVGWork(elements: elements * Double(count), filterSamples: filterSamples, windowSamples: windowSamples)
    }

    static let unbounded = SVGWork(elements: .infinity, filterSamples: .infinity, windowSamples: .infinity)

    static func + (left: SVGWork, right: SVGWork) -> SVGWork {
        SVGWork(
            elements: left.elements + right.elements, filterSamples: left.filterSamples + right.filterSamples,
            windowSamples: left.windowSamples + right.windowSamples)
    }

    static func - (left: SVGWork, right: SVGWork) -> SVGWork {
        SVGWork(
            elements: left.elements - right.elements, filterSamples: left.filterSamples - right.filterSamples,
            windowSamples: left.windowSamples - right.windowSamples)
    }
}

/// The work that references between elements add: librsvg draws an element once for each reference to it, and those that
/// it refers to each time. Ten elements that each use the one before ten times are drawn 10¹⁰ times.
struct SVGRepetition {
    private let structure: SVGStructure
    private var states: [State]
    /// The number of references to an enclosing element, which librsvg does not draw.
    private var cycleCount = 0
    private var stepCount = 0

    private enum State {
        case unknown
        case inProgress
        case known(SVGWork)
    }

    /// The greatest number of elements that may be drawn again; some ten seconds.
    static let maximumElements = 1e7
    /// The maximum number of references to follow. Normal documents stay far below it.
    private static let maximumSteps = 10_000_000
    private static let maximumCycles = 100_000
    /// Chains of references are limited by ``SVGDepth``.
    private static let maximumChain = 100

    private init(_ structure: SVGStructure) {
        self.structure = structure
        states = Array(repeating: .unknown, count: structure.nodes.count)
    }

    /// Returns the work that is added to that of each element once.
    ///
    /// - Parameters:
    ///   - rules: The rules of style sheets that set filters or refer to elements.
    ///   - counts: The elements that they may apply to.
    /// - Throws: ``TintypeError/Code/limitExceeded`` for too many elements or references.
    static func work(
        in structure: SVGStructure, styledBy rules: [SVGStyleRule], _ counts: SVGElementCounts
    ) throws(TintypeError) -> SVGWork {
        var repetition = SVGRepetition(structure)
        var sum = SVGWork()
        for reference in structure.references {
            sum = sum + repetition.work(of: reference.name, 0).repeated(reference.count)
            guard sum.elements <= maximumElements, repetition.isBounded else {
                throw .exceeded(
                    .elements, "an SVG that draws more than \(Int(maximumElements)) elements by references to them")
            }
        }
        sum = sum + repetition.work(of: rules, counts, drawn: structure.work.elements + sum.elements)
        guard sum.elements <= maximumElements else {
            throw .exceeded(
                .elements, "an SVG whose style sheets draw more than \(Int(maximumElements)) elements by references")
        }
        return sum
    }

    /// Returns the work that style sheets add: for each element, that of all rules that may apply to it.
    ///
    /// - Parameter drawn: The number of elements that are drawn without the rules.
    private mutating func work(of rules: [SVGStyleRule], _ counts: SVGElementCounts, drawn: Double) -> SVGWork {
        var (sum, mostInherited) = (SVGWork(), 0.0)
        for rule in rules {
            let functions = SVGFilterFunctions.count(inDeclaration: rule.declaration) * SVGFilterFunctions.samples
            let referred = SVGNames.references(in: rule.declaration).map { work(of: $0, 0) }.reduce(SVGWork(), +)
            let matches = Double(counts.matches(rule))
            guard matches > 0 else { continue }
            sum.filterSamples += (Double(functions) + referred.filterSamples) * matches
            sum.windowSamples += referred.windowSamples * matches
            sum.elements += referred.elements * Double(max(counts.matches(rule), counts.reach(rule)))
            mostInherited = max(mostInherited, referred.elements)
        }
        // Elements that `use` elements draw inherit, too: each one value of a property.
        if counts.haveUses { sum.elements += mostInherited * max(0, drawn) }
        return sum
    }

    private var isBounded: Bool { cycleCount <= Self.maximumCycles && stepCount <= Self.maximumSteps }

    /// Returns the work of the elements of a name; more than one may have it.
    private mutating func work(of name: ArraySlice<UInt8>, _ level: Int) -> SVGWork {
        var most = SVGWork()
        for node in structure.named[name] ?? [] where isBounded {
            let work = work(of: node, level)
            most.elements = max(most.elements, work.elements)
            most.filterSamples = max(most.filterSamples, work.filterSamples)
            most.windowSamples = max(most.windowSamples, work.windowSamples)
        }
        return most
    }

    private mutating func work(of index: Int, _ level: Int) -> SVGWork {
        stepCount += 1
        switch states[index] {
        case .known(let work): return work
        case .inProgress:
            cycleCount += 1
            return SVGWork()
        case .unknown: break
        }
        guard level < Self.maximumChain else { return .unbounded }
        let cyclesBefore = cycleCount
        states[index] = .inProgress
        var sum = structure.nodes[index].work
        for reference in structure.nodes[index].references where isBounded {
            stepCount += 1
            let reference = structure.references[reference]
            sum = sum + work(of: reference.name, level + 1).repeated(reference.count)
        }
        // Within a cycle the work is not yet known.
        states[index] = cycleCount == cyclesBefore ? .known(sum) : .unknown
        return sum
    }
}
