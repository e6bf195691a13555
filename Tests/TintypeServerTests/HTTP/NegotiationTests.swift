import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct NegotiationTests {
    private static let fields: HTTPFields = [
        "Accept": "image/webp", "DPR": "2", "Width": "640", "Save-Data": "on",
    ]

    @Test func nothingIsNegotiatedByDefault() {
        let negotiation = Negotiation(Self.fields, hasFormat: false, settings: NegotiationSettings())
        #expect(negotiation.acceptClass == .none && negotiation.hints == .none && negotiation.vary.isEmpty)
    }

    @Test func varyNamesWhatMayChangeTheResponseAlsoWhenItDidNot() {
        let settings = NegotiationSettings(formats: [.webp], usesClientHints: true, usesSaveData: true)
        let full = Negotiation(Self.fields, hasFormat: false, settings: settings)
        let empty = Negotiation([:], hasFormat: false, settings: settings)
        #expect(full.vary == ["Accept", "Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width", "Save-Data"])
        #expect(empty.vary == full.vary && empty.acceptClass == .none && full.acceptClass.still == .webp)
    }

    @Test func aFormatInTheURLNeedsNoAccept() {
        let settings = NegotiationSettings(formats: [.webp])
        let negotiation = Negotiation(Self.fields, hasFormat: true, settings: settings)
        #expect(negotiation.acceptClass == .none && negotiation.vary.isEmpty)
    }

    @Test(
        arguments: [
            (["Sec-CH-DPR": "2", "Sec-CH-Width": "640"], 2, 320), (["DPR": "1.5"], 1.5, nil),
            (["Sec-CH-DPR": "2", "DPR": "3"], 2, nil), (["Sec-CH-DPR": "x", "DPR": "3"], 3, nil),
            (["Width": "1"], nil, 64), (["Width": "64"], nil, 64), (["Width": "65"], nil, 128),
            (["Width": "1000", "DPR": "2"], 2, 512), (["DPR": "1.1"], 1.25, nil), (["DPR": "0.1"], 0.25, nil),
            (["DPR": "8"], 8, nil), (["DPR": "8.001"], nil, nil), (["DPR": "0"], nil, nil), (["DPR": "-1"], nil, nil),
            (["DPR": "1e1"], nil, nil), (["DPR": "nan"], nil, nil), (["Width": "0"], nil, nil),
            (["Width": "65536"], nil, nil), (["Width": "1.5"], nil, nil), (["Width": " 100 "], nil, 128),
        ] as [(HTTPFields, Double?, Int?)])
    func hintsAreRoundedUpToSteps(_ fields: HTTPFields, _ ratio: Double?, _ width: Int?) {
        let hints = ClientHints.size(fields)
        #expect(hints.pixelRatio == ratio && hints.width == width)
    }

    @Test(arguments: [("on", true), ("ON", true), ("on;v=1", true), ("off", false), ("1", false), ("", false)])
    func savingIsOnOrOff(_ value: String, _ isOn: Bool) {
        #expect(ClientHints.savesData(["Save-Data": value]) == isOn)
    }

    @Test func widthsHaveFewValues() {
        let widths = Set((1...4096).compactMap { ClientHints.size(["Width": "\($0)"]).width })
        #expect(widths.count == 64)
    }
}
