import Foundation
import Testing

@testable import TintypeCore

@Suite struct XMLPrologTests {
    static let documents: [(String, XMLProlog.Root)] = [
        ("<svg>", .element("svg")), ("<svg/>", .element("svg")), ("<svg\n a='b'", .element("svg")),
        ("<a:svg>", .element("svg")), ("<svg:a>", .element("a")), ("\n <x-y.z_1 />", .element("x-y.z_1")),
        ("<?xml version='1.0'?><svg>", .element("svg")), ("<?xml?><?a ?b?><!----><svg>", .element("svg")),
        ("<!-- <html> -- > --><svg>", .element("svg")), ("<!DOCTYPE svg><svg>", .element("svg")),
        ("<!DOCTYPE svg [<!ENTITY a \"]>\"><!-- ' ]> -->]><svg>", .element("svg")),
        ("<!DOCTYPE html><html>", .element("html")),
        ("", .incomplete), ("<", .incomplete), ("<svg", .incomplete), ("<?xml", .incomplete), ("<!-- ->", .incomplete),
        ("<!DOC", .incomplete), ("<!DOCTYPE svg [<!ENTITY a '>'>]", .incomplete), ("<!DOCTYPE svg '>", .incomplete),
        ("text", .none), ("<!ELEMENT a>", .none), ("< svg>          ", .none), ("</svg>      ", .none),
    ]

    @Test(arguments: documents.indices) func theRootFollowsTheProlog(_ index: Int) {
        let (text, root) = Self.documents[index]
        #expect(XMLProlog.root(of: Data(text.utf8)) == root, "\(text)")
    }

    @Test func thePrologMayBeInUTF16() {
        let units = Array("\u{FEFF}<?xml encoding='UTF-16'?><!-- ü --><svg>".utf16)
        let little = units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        for bytes in [little, big, Array(little.dropFirst(2)), Array(big.dropFirst(2))] {
            #expect(XMLProlog.root(of: bytes) == .element("svg"))
        }
    }

    /// A document is never taken for another one while it arrives.
    @Test func aPrefixIsIncompleteOrHasTheSameRoot() {
        for (text, root) in Self.documents {
            for count in 0...text.utf8.count {
                let partial = XMLProlog.root(of: text.utf8.prefix(count))
                #expect(partial == .incomplete || partial == root, "\(text.prefix(count))")
            }
        }
    }
}
