import Testing
import TintypeCore

@testable import TintypeServer

/// The cases of imgproxy's `options/parser/processing_options_test.go` (eef3b31), and each rule of an argument.
@Suite struct OptionsParserTests {
    @Test func theOptionsOfTheGeometryAreRead() throws {
        let resize = try parsedOptions("resize:fill:100:200:1")
        #expect(resize.resizingType == .fill && resize.width == 100 && resize.height == 200 && resize.enlarges)
        let size = try parsedOptions("size:100:200:1")
        #expect(size.resizingType == .fit && size.width == 100 && size.height == 200 && size.enlarges)
        let extend = try parsedOptions("extend:1:so:10:20").extend
        #expect(extend == CanvasOption(isEnabled: true, gravity: GravityOption(.south, x: 10, y: 20)))
        let resized = try parsedOptions("rs:fit:1:2:0:1:no:3:4")
        #expect(resized.extend == CanvasOption(isEnabled: true, gravity: GravityOption(.north, x: 3, y: 4)))
        #expect(try parsedOptions("gravity:soea").gravity == GravityOption(.southEast))
        #expect(try parsedOptions("gravity:fp:0.5:0.75").gravity == GravityOption(.focusPoint, x: 0.5, y: 0.75))
        #expect(try parsedOptions("crop:100:200").crop == CropOption(width: 100, height: 200, gravity: nil))
        #expect(
            try parsedOptions("crop:100:200:nowe:10:20").crop
                == CropOption(width: 100, height: 200, gravity: GravityOption(.northWest, x: 10, y: 20)))
        #expect(try parsedOptions("dpr:2").pixelRatio == 2)
        #expect(try parsedOptions("rotate:-90").rotation == 270)
        #expect(try parsedOptions("rot:450").rotation == 90)
        #expect(try parsedOptions("fl:1").flip == FlipOption(isHorizontal: true, isVertical: false))
        #expect(try parsedOptions("fl::1").flip == FlipOption(isHorizontal: false, isVertical: true))
        #expect(try parsedOptions("z:2").zoom == Zoom(x: 2, y: 2))
        #expect(try parsedOptions("z:2:3").zoom == Zoom(x: 2, y: 3))
    }

    @Test func theOptionsOfPixelsAndOutputAreRead() throws {
        #expect(try parsedOptions("quality:55").output.quality == 55)
        #expect(try parsedOptions("background:128:129:130").background == RGBColor(red: 128, green: 129, blue: 130))
        #expect(try parsedOptions("background:ffddee").background == RGBColor(red: 0xff, green: 0xdd, blue: 0xee))
        #expect(try parsedOptions("bg:fde").background == RGBColor(red: 0xff, green: 0xdd, blue: 0xee))
        #expect(try parsedOptions("background:fff/background:").background == nil)
        #expect(
            try parsedOptions("blur:0.2/sharpen:0.3/pix:4").filters
                == FilterOptions(blur: 0.2, sharpen: 0.3, pixelate: 4))
        let mark = try parsedOptions("watermark:0.5:soea:10:20:0.6").watermark
        #expect(mark == WatermarkOption(opacity: 0.5, placement: .southEast, x: 10, y: 20, scale: 0.6))
        #expect(try parsedOptions("cachebuster:123").cacheBuster == "123")
        #expect(try parsedOptions("strip_metadata:0/ph:1/eth:t").output.stripsMetadata == false)
        #expect(try parsedOptions("ph:1").output.preservesHDR)
        #expect(try parsedOptions("format:webp").output.format == .webp)
        #expect(try parsedOptions("skp:jpg:png/skp:gif").output.skippedFormats == [.jpeg, .png, .gif])
        #expect(try parsedOptions("exp:32503669200").expires == 32_503_669_200)
        #expect(try parsedOptions("fn:a%20b").fileName == "a b")
        #expect(try parsedOptions("fn:cHVwcHk:1").fileName == "puppy")
        #expect(try parsedOptions("att:1").isAttachment)
        #expect(try parsedOptions("raw:1").output.isRaw)
        #expect(
            try parsedOptions("t:10:ff00ff:1:0").trim
                == TrimOption(
                    threshold: 10, color: RGBColor(red: 255, green: 0, blue: 255), isEqualHorizontally: true))
        #expect(try parsedOptions("fq:jpg:50:webp:60").output.quality(for: .webp) == 60)
        #expect(try parsedOptions("mb:1000").output.maximumBytes == 1000)
        #expect(try parsedOptions("aq:size:10240").output.maximumBytes == 10_240)
        #expect(try parsedOptions("aq:size:10240/aq:none").output.maximumBytes == 0)
    }

    @Test func theOptionsOfTheProEditionAreRead() throws {
        let color = try parsedOptions("a:10:1.5:0.5").color
        #expect(color == ColorAdjustment(brightness: 10, contrast: 1.5, saturation: 0.5))
        #expect(
            try parsedOptions("br:-255/co:2/sa:0").color
                == ColorAdjustment(brightness: -255, contrast: 2, saturation: 0))
        #expect(try parsedOptions("mc:0.5").color.monochrome.color.hexadecimal == "b3b3b3")
        let duotone = try parsedOptions("dt:1:123:abcdef").color.duotone
        #expect(duotone.dark.hexadecimal == "112233" && duotone.light.hexadecimal == "abcdef" && duotone.intensity == 1)
        let mark = try parsedOptions("wm:1:ch/wmu:aHR0cDovL2EuYi9j/wms:10:20/wmr:-30").watermark
        #expect(mark.placement == .chessboard && mark.url == "http://a.b/c" && mark.rotation == 330)
        #expect(mark.width == 10 && mark.height == 20)
    }

    @Test(arguments: [
        ("pd:1", [1, 1, 1, 1]), ("pd:1:2", [1, 2, 1, 2]), ("pd:1:2:3", [1, 2, 3, 2]), ("pd:1:2:3:4", [1, 2, 3, 4]),
        ("pd::5", [0, 5, 0, 5]), ("pd:1::3", [1, 1, 3, 1]), ("pd:10/pd:0:::4", [0, 0, 0, 4]),
    ]) func aPaddingHasTheFallbacksOfCSS(_ text: String, _ sides: [Int]) throws {
        let padding = try parsedOptions(text).padding
        #expect([padding.top, padding.right, padding.bottom, padding.left] == sides)
    }

    @Test func anEmptyArgumentKeepsTheValue() throws {
        let options = try parsedOptions("rs:fill:300:200:1/rs:::400")
        #expect(options.resizingType == .fill && options.width == 300 && options.height == 400 && options.enlarges)
        #expect(try parsedOptions("g:ce:10:20/g:no").gravity == GravityOption(.north, x: 10, y: 20))
        #expect(try parsedOptions("g:ce:10:20/g:sm/g:no").gravity == GravityOption(.north))
        #expect(
            try parsedOptions("ex:1:no:1:2/ex:0").extend
                == CanvasOption(isEnabled: false, gravity: GravityOption(.north, x: 1, y: 2)))
        #expect(try parsedOptions("t:10:fff/t:5").trim == TrimOption(threshold: 5))
        #expect(try parsedOptions("t:10/t:").trim.threshold == nil)
    }

    static let wrong: [String] = [
        "w:", "w:-1", "w:1.5", "w:a", "w:1000001", "w:1:2", "w:0x10", "h:99999999999999999999", "rs:cover", "rt:",
        "rs:fit:-1:-2", "rs:fit:1:1:0:1:ce:0:0:0", "s:1:1:0:1:ce:0:0:0", "dpr:0", "dpr:-1", "dpr:inf", "dpr:nan",
        "dpr:0x1p1",
        "z:0", "z:1:0", "z:1:1:1", "g:", "g:xx", "g:re", "g:ch", "g:sm:1", "g:fp", "g:fp:0.5", "g:fp:0.5:1.1",
        "g:fp:-0.1:0",
        "g:ce:1:2:3", "g:ce:x", "g:ce:10:10/g:fp::", "ex:1:sm", "ex:1:re", "ex:1:", "exar:1:sm", "c:100:200:re", "c:-1",
        "c:a",
        "c:1:", "c:1:1:ce:0:0:0", "t:a", "t:1:12", "t:1:fff:0:0:0", "pd:-1", "pd:1:2:3:4:5", "rot:45", "rot:a",
        "fl:1:1:1",
        "bg:ggg", "bg:1:2", "bg:1:2:256", "bg:1:2:3:4", "bl:-1", "sh:x", "pix:-1", "wm:1.1", "wm:-1", "wm:", "wm:1:sm",
        "wm:1:fp", "wm:1:ce:x", "wm:1:ce:0:0:-1", "q:101", "q:-1", "fq:jpg", "fq:xyz:50", "fq:jpg:101", "f:", "f:xyz",
        "f:best",
        "skp:jpg:png:bad_format", "exp:a", "exp:", "fn:%%:1", "fn:a:b:c", "mb:-1", "aq:dssim:0.01", "aq:size",
        "aq:size:100:10",
        "br:256", "br:1.5", "co:-1", "sa:-1", "mc:2", "mc:1:x", "dt:1:fff:x", "wmu:*", "wms:-1", "maf:0", "msr:-1",
        "pr:nobody",
    ]

    @Test(arguments: wrong) func aWrongArgumentIsAnError(_ text: String) {
        #expect(throws: ImageURLError.self) { try parsedOptions(text) }
        do {
            _ = try parsedOptions(text)
        } catch let error as ImageURLError {
            #expect(error.kind == .argument && error.status == 400, "\(text)")
        } catch {}
    }

    @Test func anUnknownOptionIsNamed() {
        for name in ["wdth", "W", "hashsum", "hs", "video_thumbnail_second", "", "obj_pos"] {
            #expect(throws: ImageURLError(.unknownOption, "there is no option \"\(name)\"")) {
                try parsedOptions(name + ":1")
            }
        }
    }

    @Test func anotherTextThanABooleanWarnsAndIsFalse() throws {
        for text in ["1", "t", "T", "true", "TRUE", "True"] { #expect(try parsedOptions("el:" + text).enlarges) }
        for text in ["0", "f", "F", "false", "FALSE", "False"] {
            let (parsed, _) = try OptionsParser().parse(["ar:" + text])
            #expect(!parsed.options.autoRotates && parsed.warnings.isEmpty)
        }
        for text in ["", "yes", "2", "tRUE", "on"] {
            let (parsed, _) = try OptionsParser().parse(["ar:" + text])
            #expect(!parsed.options.autoRotates && parsed.warnings.count == 1)
        }
        let (parsed, _) = try OptionsParser().parse(["rs:fit:1:1:maybe:maybe:no"])
        #expect(parsed.warnings.count == 2)
    }

    @Test func theFirstSegmentWithoutSeparatorBeginsTheSource() throws {
        let (parsed, source) = try OptionsParser().parse(["w:1", "plain", "http:", "", "a", "h:2"])
        #expect(parsed.options.width == 1 && parsed.options.height == 0)
        #expect(Array(source) == ["plain", "http:", "", "a", "h:2"])
    }

    @Test func theSeparatorOfArgumentsCanBeAnotherOne() throws {
        var configuration = OptionsParser.Configuration()
        configuration.argumentSeparator = ","
        let (parsed, _) = try OptionsParser(configuration).parse(["size,100,100,1", "plain"])
        #expect(parsed.options.width == 100 && parsed.options.height == 100 && parsed.options.enlarges)
        configuration.argumentSeparator = ""
        #expect(throws: ImageURLError.self) { try OptionsParser(configuration) }
    }

    @Test(arguments: ["fit", "fill", "fill-down", "force", "auto"])
    func theFormWithoutOptionNamesIsRefusedWithAHint(_ type: String) {
        do {
            _ = try OptionsParser().parse([type, "300", "200", "no", "1", "plain", "http:", "", "a"])
            Issue.record("no error")
        } catch {
            #expect(error.kind == .oldForm && error.status == 400 && error.detail.contains("/rs:\(type):"))
        }
    }

    @Test func limitsNeedAPermission() throws {
        for text in ["msr:1", "msfs:1", "maf:2", "mafr:1", "mrd:1", "max_src_resolution:1"] {
            #expect(throws: ImageURLError.self) { try OptionsParser().parse([text]) }
            do { _ = try OptionsParser().parse([text]) } catch { #expect(error.status == 403) }
        }
        let limits = try parsedOptions("msr:0.00001/msfs:1000/maf:5/mafr:2.5/mrd:300").limits
        #expect(
            limits
                == LimitOptions(
                    sourcePixels: 10, sourceBytes: 1000, frames: 5, framePixels: 2_500_000, resultSide: 300))
    }

    @Test func hintsOfTheClientYieldToTheURL() throws {
        let parser = try OptionsParser()
        let rows: [(DisplayHints, [String], Int, Double)] = [
            (DisplayHints(), [], 0, 1), (DisplayHints(width: 100), [], 100, 1), (DisplayHints(pixelRatio: 2), [], 0, 2),
            (DisplayHints(pixelRatio: 2, width: 100), [], 50, 2),
            (DisplayHints(pixelRatio: 2, width: 100), ["width:150", "dpr:3.0"], 150, 3),
            (DisplayHints(pixelRatio: -1, width: -1), [], 0, 1), (DisplayHints(pixelRatio: .infinity), [], 0, 1),
            (DisplayHints(pixelRatio: 1e-300, width: 100), [], 0, 1),
        ]
        for (hints, segments, width, ratio) in rows {
            let (parsed, _) = try parser.parse(segments, hints: hints)
            #expect(parsed.options.width == width && parsed.options.pixelRatio == ratio, "\(hints)")
        }
    }

    @Test func everyNameBelongsToOneOption() {
        let names = OptionTable.entries.flatMap(\.names) + OptionTable.presetNames
        #expect(Set(names).count == names.count)
    }
}
