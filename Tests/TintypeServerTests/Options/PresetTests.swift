import Testing
import TintypeCore

@testable import TintypeServer

/// The cases of imgproxy's `options/parser/presets_test.go` and of its tests of presets in URLs (eef3b31).
@Suite struct PresetTests {
    private func parser(
        _ presets: [String], allowed: [String] = [], isPresetsOnly: Bool = false
    ) throws -> OptionsParser {
        var configuration = OptionsParser.Configuration()
        configuration.presets = presets
        configuration.allowedOptions = allowed
        configuration.isPresetsOnly = isPresetsOnly
        return try OptionsParser(configuration)
    }

    @Test(arguments: [
        "resize:fit:100:200/sharpen:2", "=resize:fit:100:200/sharpen:2", "test=", "test=w:1=2",
        "test=resize:fit:100:200/sharpen:2/blur", "test=resize:fit:-1:-2/sharpen:2", "test=nothing:1", "test=pr:nobody",
        "test=msr:1",
    ]) func aMalformedPresetIsRefusedAtTheStart(_ text: String) {
        #expect(throws: ImageURLError.self) { try parser([text]) }
    }

    @Test func emptyTextsAndCommentsAreSkipped() throws {
        let parser = try parser(["   ", "", "#  test=resize:fit:100:200/sharpen:2", "# test"])
        #expect(throws: ImageURLError.self) { try parser.parse(["pr:test"]) }
    }

    @Test func presetsAreAppliedInTheirOrder() throws {
        let parser = try parser([" test1 = resizing_type:fill/quality:40 ", "test2=blur:0.2/quality:50"])
        let (parsed, _) = try parser.parse(["preset:test1:test2"])
        #expect(parsed.options.resizingType == .fill && parsed.options.filters.blur == 0.2)
        #expect(parsed.options.output.quality == 50)
        #expect(parsed.presets == ["test1", "test2"])
        let (other, _) = try parser.parse(["pr:test2", "q:10", "pr:test1"])
        #expect(other.options.output.quality == 40)
    }

    @Test func theDefaultPresetComesAfterHintsAndBeforeTheURL() throws {
        let parser = try parser(["default=resizing_type:fill/blur:0.2/quality:50/dpr:3"])
        let (parsed, _) = try parser.parse(["quality:70"], hints: DisplayHints(pixelRatio: 2))
        #expect(parsed.options.resizingType == .fill && parsed.options.filters.blur == 0.2)
        #expect(parsed.options.output.quality == 70 && parsed.options.pixelRatio == 3)
        #expect(parsed.presets == ["default"])
    }

    @Test func aPresetThatContainsItselfIsSkippedThereWithAWarning() throws {
        let parser = try parser(["test1=resizing_type:fill/preset:test2", "test2=blur:0.2/preset:test1"])
        let (parsed, _) = try parser.parse(["preset:test1"])
        #expect(parsed.presets == ["test1", "test2"])
        #expect(parsed.options.resizingType == .fill && parsed.options.filters.blur == 0.2)
        #expect(parsed.warnings.count == 1)
    }

    @Test func presetsThatMultiplyEndInAnError() {
        var presets = (0..<12).map { "p\($0)=pr:p\($0 + 1):p\($0 + 1):p\($0 + 1)" }
        presets.append("p12=w:1")
        #expect(throws: ImageURLError.self) { try parser(presets) }
    }

    @Test func inPresetsOnlyModeTheFirstSegmentIsAListOfPresets() throws {
        let parser = try parser(["test1=blur:0.2", "test2=quality:50", "fit=w:1"], isPresetsOnly: true)
        let (parsed, source) = try parser.parse(["test1:test2", "plain", "http:", "", "a"])
        #expect(parsed.options.filters.blur == 0.2 && parsed.options.output.quality == 50)
        #expect(Array(source) == ["plain", "http:", "", "a"])
        #expect(try parser.parse(["fit", "plain"]).0.options.width == 1)
        #expect(throws: ImageURLError.self) { try parser.parse(["w:100", "plain", "a"]) }
    }

    @Test func optionsInPresetsBypassTheListOfAllowedOptions() throws {
        let parser = try parser(["test1=blur:0.2"], allowed: ["w", "h", "pr"])
        _ = try parser.parse(["w:100", "h:200"])
        #expect(try parser.parse(["w:100", "h:200", "pr:test1"]).0.options.filters.blur == 0.2)
        // Another name of the same option is the same option.
        #expect(try parser.parse(["width:100", "preset:test1"]).0.options.width == 100)
        for segments in [["w:100", "blur:10"], ["pr:test1", "blur:10"], ["rs:fit:1:1"]] {
            do {
                _ = try parser.parse(segments)
                Issue.record("no error")
            } catch {
                #expect(error.kind == .forbiddenOption && error.status == 403)
            }
        }
        #expect(throws: ImageURLError.self) { try self.parser([], allowed: ["wdth"]) }
    }
}
