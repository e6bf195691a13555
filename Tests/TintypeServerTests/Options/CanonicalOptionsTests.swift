import Testing
import TintypeCore

@testable import TintypeServer

@Suite struct CanonicalOptionsTests {
    /// A source of numbers that is the same in each run (splitmix64).
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
    }

    /// Segments of which a URL has at most one each.
    static let segments: [[String]] = [
        ["rt:fill", "rt:fit", "resizing_type:fill-down", "rt:auto"], ["w:300", "width:0", "w:0300", "w:+5"],
        ["h:200", "height:0"], ["mw:10", "min-width:20"], ["mh:10"], ["z:1.50", "zoom:2:3", "z:1"],
        ["dpr:2", "dpr:2.0", "dpr:1", "dpr:1.25e0", "dpr:0.333333333333333315"], ["el:1", "el:t", "enlarge:0"],
        ["ex:1:no:1:0.50", "extend:true", "ex:0:so"], ["exar:1", "extend_ar:t:fp:0.5:1"],
        ["g:sm", "g:fp:0.10:0.9", "gravity:soea:-5:.5", "g:ce"],
        ["c:100:0.5:no:1:2", "c:0:0:no", "crop:1:1", "c:5:5:sm"],
        ["t:10", "trim:10.0:ff00ff:1:1", "t::fff"], ["pd:1:2:3:4", "padding:10", "pd:0"], ["ar:0", "auto_rotate:1"],
        ["rot:90", "rotate:-90", "rot:360"], ["fl:1", "flip::1", "fl:0:0"], ["bg:fff", "background:1:2:3", "bg:"],
        ["br:10", "brightness:-0"], ["co:1.5", "contrast:1"], ["sa:0", "saturation:1.0"], ["mc:0.5:abc", "mc:0:abc"],
        ["dt:0.5:111:222", "duotone:0:1a2b3c"], ["bl:0.5", "blur:0"], ["sh:0.5"], ["pix:1", "pixelate:5"],
        ["wm:0.5:noea:10:-0.1:0.5", "watermark:0:ce:1:1:1", "wm:1:re"], ["wmu:aHR0cDovL2EuYi9j"], ["wms:10:20"],
        ["wmr:-30", "watermark_rotate:720"], ["sm:0", "strip_metadata:1"], ["kcr:0"], ["scp:0"], ["ph:1"], ["eth:1"],
        ["q:80", "quality:0"], ["fq:webp:50:jpg:60", "fq:webp:79"], ["mb:1000", "aq:size:1000"],
        ["f:jpg", "ext:jpeg", "format:avif"], ["skp:png:jpg:png", "skp:jpg:png"], ["raw:0"],
        ["msr:16.8", "msr:0.1"], ["msfs:0"], ["maf:3"], ["mafr:1.5"], ["mrd:1000"], ["cb:a b=c,d", "cb:"],
        ["exp:9999999999"], ["fn:name", "fn:bmFtZQ:1"], ["att:1"],
    ]

    private func randomSegments(_ generator: inout Generator) -> [String] {
        Self.segments.filter { _ in Bool.random(using: &generator) }.compactMap { $0.randomElement(using: &generator) }
    }

    @Test func theOrderOfOptionsDoesNotMatter() throws {
        var generator = Generator(state: 1)
        for _ in 0..<300 {
            let segments = randomSegments(&generator)
            let canonical = try parsedOptions(segments.joined(separator: "/")).canonical
            let shuffled = segments.shuffled(using: &generator).joined(separator: "/")
            #expect(try parsedOptions(shuffled).canonical == canonical, "\(shuffled)")
        }
    }

    @Test func readingTheCanonicalFormYieldsTheOptions() throws {
        var generator = Generator(state: 2)
        for _ in 0..<300 {
            let options = try parsedOptions(randomSegments(&generator).joined(separator: "/"))
            let again = try parsedOptions(options.canonical)
            #expect(again == options.normalized, "\(options.canonical)")
            #expect(again.canonical == options.canonical)
        }
    }

    @Test func everyChoiceOfEverySegmentSurvives() throws {
        for choice in Self.segments.joined() {
            let options = try parsedOptions(choice)
            #expect(try parsedOptions(options.canonical) == options.normalized, "\(choice)")
        }
    }

    /// Options, and their canonical form.
    static let rows: [(String, String)] = [
        ("", ""), ("resize:fill:300:200:1/gravity:sm", "rt:fill/w:300/h:200/el:1/g:sm"), ("rs:fit:0:0:0:0", ""),
        ("w:0300", "w:300"), ("dpr:2.0", "dpr:2"), ("dpr:1.50", "dpr:1.5"), ("z:2", "z:2:2"), ("q:0", ""),
        ("q:80", "q:80"),
        ("w:1/w:2", "w:2"), ("el:1/el:0", ""), ("bg:fff", "bg:ffffff"), ("bg:255:255:255", "bg:ffffff"),
        ("f:jpg", "f:jpeg"), ("skp:png:jpg:png", "skp:jpeg:png"), ("fq:webp:79", ""),
        ("fq:webp:1:jpg:2", "fq:jpeg:2:webp:1"),
        ("pd:5", "pd:5:5:5:5"), ("rot:-90", "rot:270"), ("rot:360", ""), ("g:ce:0:0", ""), ("g:ce:-0:0", ""),
        ("g:no:5", "g:no:5:0"), ("c:0:0:no", ""), ("c:10:20:no", "c:10:20:no:0:0"), ("ex:0:no", ""), ("ex:1", "ex:1"),
        ("exp:9999999999/fn:a/att:1/cb:x", "cb:x"), ("pix:1", ""), ("wm:0:no", ""), ("wm:1", "wm:1:ce:0:0:0"),
        ("aq:size:1000", "mb:1000"), ("a:1:2:3", "br:1/co:2/sa:3"), ("raw:1/w:300/q:5", "raw:1"),
        ("sm:0/kcr:0", "sm:0"), ("kcr:0", "kcr:0"), ("kcr:1", ""),
        ("mrd:300", "mrd:300"), ("msr:16.8", "msr:16.8"), ("wmu:aHR0cDovL2EuYi9j", ""),
        ("wm:1/wmu:aHR0cDovL2EuYi9j", "wm:1:ce:0:0:0/wmu:aHR0cDovL2EuYi9j"),
        ("wm:1:ce:0:0:0.5/wms:5:5", "wm:1:ce:0:0:0.5"),
    ]

    @Test func equalWorkHasEqualText() throws {
        for (text, canonical) in Self.rows { #expect(try parsedOptions(text).canonical == canonical, "\(text)") }
    }

    @Test func aChangedDefaultChangesTheText() throws {
        var configuration = OptionsParser.Configuration()
        configuration.defaults.autoRotates = false
        configuration.defaults.output.formatQuality[.webp] = 60
        let (parsed, _) = try OptionsParser(configuration).parse(["w:10"])
        #expect(parsed.options.canonical == "w:10/ar:0/fq:webp:60")
    }

    @Test func optionsForAFormatHaveItsQualityAlone() throws {
        func text(_ segments: String, _ format: ImageFormat) throws -> String {
            try parsedOptions(segments).resolved(for: format).canonical
        }
        #expect(try text("w:10", .jpeg) == "w:10/q:80")
        #expect(try text("w:10/f:jpg/q:80", .jpeg) == "w:10/q:80")
        #expect(try text("w:10", .webp) == "w:10/q:79")
        #expect(try text("w:10/fq:jpg:80:webp:50", .jpeg) == "w:10/q:80")
        #expect(try text("fq:webp:0", .webp) == "q:80")
        #expect(try text("q:5/fq:avif:50", .avif) == "q:5")
        #expect(try text("kcr:0", .webp) == "kcr:0/q:79" && text("kcr:0/sm:0", .jpeg) == "sm:0/q:80")
        // They have no metadata.
        #expect(try text("kcr:0", .bmp) == "q:80" && text("sm:0", .ico) == "q:80")
    }
}
