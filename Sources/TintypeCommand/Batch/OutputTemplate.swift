import Foundation
import Tintype

/// A path with fields, such as `thumbs/{stem}-{width}.{ext}`. `{{` and `}}` stand for braces.
struct OutputTemplate: Equatable, Sendable {
    /// A part of a path that differs among the outputs of a batch.
    enum Field: String, CaseIterable, Sendable {
        /// The name of the input without its extension.
        case stem
        /// The name of the input.
        case name
        /// The extension for the output's format.
        case ext
        /// The name of the output's format, such as `jpeg`.
        case format
        /// The directory of the input, relative to the directory argument in which it was found.
        case dir
        /// The number of the input, from 1, with leading zeros.
        case index
        /// The width of the output in pixels.
        case width
        /// The height of the output in pixels.
        case height
    }

    enum Piece: Equatable, Sendable {
        case text(String)
        case field(Field)
    }

    /// A template that cannot be parsed.
    enum ParsingError: Error, Equatable {
        case unknownField(String)
        case unbalancedBrace
    }

    let pieces: [Piece]

    init(pieces: [Piece]) {
        self.pieces = pieces
    }

    /// The template that repeats the tree of the inputs below a directory.
    init(mirroringInto directory: String) {
        let root = directory.hasSuffix("/") ? directory : directory + "/"
        pieces = [.text(root), .field(.dir), .text("/"), .field(.stem), .text("."), .field(.ext)]
    }

    init(parsing text: String) throws(ParsingError) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                literal.append(rest.removeFirst())
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else { throw .unbalancedBrace }
                guard let field = Field(rawValue: String(rest[..<end])) else {
                    throw .unknownField(String(rest[..<end]))
                }
                if !literal.isEmpty { pieces.append(.text(literal)) }
                pieces.append(.field(field))
                literal = ""
                rest = rest[rest.index(after: end)...]
            } else if character == "}" {
                throw .unbalancedBrace
            } else {
                literal.append(character)
            }
        }
        self.pieces = literal.isEmpty ? pieces : pieces + [.text(literal)]
    }

    var fields: Set<Field> {
        Set(
            pieces.compactMap { piece in
                guard case .field(let field) = piece else { return nil }
                return field
            })
    }

    /// The extension with which every path ends, or `nil` if the path ends with a field.
    var fileExtension: String? {
        guard case .text(let text)? = pieces.last, let dot = text.lastIndex(of: "."),
            !text[dot...].contains("/")
        else { return nil }
        return String(text[text.index(after: dot)...])
    }

    /// Returns the path for an image. Fields whose value is not known yet stay as they are.
    func path(_ values: OutputFields) -> String {
        var path = ""
        var skipsSlash = false
        for piece in pieces {
            switch piece {
            case .text(let text):
                // Without a directory, `{dir}/a` must not become `/a`.
                path += skipsSlash && text.hasPrefix("/") ? String(text.dropFirst()) : text
                skipsSlash = false
            case .field(let field):
                let value = values[field] ?? "{\(field.rawValue)}"
                path += value
                skipsSlash = field == .dir && value.isEmpty
            }
        }
        return path
    }
}

/// The values of the fields of a template for one image.
struct OutputFields: Equatable, Sendable {
    var stem: String
    var name: String
    var fileExtension: String
    var format: ImageFormat
    /// The directory of the input relative to the directory argument, without slashes at its ends; empty if the input
    /// is an argument itself.
    var directory = ""
    var index = "1"
    /// The size of the output in pixels, or `nil` while it is not known.
    var size: PixelSize?

    /// Returns a number with leading zeros.
    static func index(_ number: Int, digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    subscript(_ field: OutputTemplate.Field) -> String? {
        switch field {
        case .stem: stem
        case .name: name
        case .ext: fileExtension
        case .format: format.rawValue
        case .dir: directory
        case .index: index
        case .width: size.map { "\($0.width)" }
        case .height: size.map { "\($0.height)" }
        }
    }
}
