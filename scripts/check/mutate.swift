// Rewrites Swift files into all of their mutants at once: see scripts/check/mutations.
//
//     mutate FIRST EXCLUDED FILE ...
//
// FIRST is the number of the first mutant. EXCLUDED is a file with a line `FILE:LINE` for each line that is left alone. Each
// mutant is a call of a function in `Mutant`, which acts differently if the environment names its number. Writes the files
// in place, and a line for each mutant to standard output: number, file, line and column, change, and source that changes,
// separated by tabs. The rewritten files have the lines of the originals.

import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// The insertions and replacements of one file.
struct Edits {
    private var prefixes: [Int: String] = [:]
    private var suffixes: [Int: String] = [:]
    private var replacements: [Int: (length: Int, text: String)] = [:]

    /// Puts a node between two texts. An outer node comes before the nodes in it.
    mutating func wrap(_ node: some SyntaxProtocol, _ prefix: String, _ suffix: String = ")") {
        prefixes[node.start, default: ""] += prefix
        suffixes[node.end] = suffix + suffixes[node.end, default: ""]
    }

    mutating func replace(_ token: TokenSyntax, by text: String) {
        replacements[token.start] = (token.end - token.start, text)
    }

    func apply(to source: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var skipped = 0
        for offset in 0...source.count {
            if let text = suffixes[offset] { result += text.utf8 }
            if let text = prefixes[offset] { result += text.utf8 }
            if let replacement = replacements[offset] {
                result += replacement.text.utf8
                skipped = replacement.length
            }
            if skipped > 0 {
                skipped -= 1
            } else if offset < source.count {
                result.append(source[offset])
            }
        }
        return result
    }
}

extension SyntaxProtocol {
    var start: Int { positionAfterSkippingLeadingTrivia.utf8Offset }
    var end: Int { endPositionBeforeTrailingTrivia.utf8Offset }
}

final class Mutator: SyntaxVisitor {
    let file: String
    let converter: SourceLocationConverter
    let excludedLines: Set<Int>
    var next: Int
    var edits = Edits()
    private let infixFunctions = [
        "<": "less", "<=": "lessOrEqual", ">": "greater", ">=": "greaterOrEqual", "&&": "and",
        "||": "or", "+": "plus",
        "-": "minus",
    ]

    init(file: String, tree: Syntax, first: Int, excludedLines: Set<Int>) {
        self.file = file
        self.excludedLines = excludedLines
        next = first
        converter = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    /// Lists the mutants of a node, and returns the number of the first; `nil` if the line of the node is excluded.
    private func number(_ node: some SyntaxProtocol, _ changes: String...) -> Int? {
        let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
        guard !excludedLines.contains(location.line) else { return nil }
        let source = node.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        for (index, change) in changes.enumerated() {
            print(
                next + index, file, "\(location.line):\(location.column)", change, source, separator: "\t")
        }
        defer { next += changes.count }
        return next
    }

    private func negate(_ node: some SyntaxProtocol) {
        if let id = number(node, "negated") { edits.wrap(node, "Mutant.negated(\(id), ") }
    }

    /// Whether a visit of the expression negates it anyway.
    private func isNegatedElsewhere(_ node: ExprSyntax) -> Bool {
        if let tuple = node.as(TupleExprSyntax.self), let only = tuple.elements.first,
            tuple.elements.count == 1
        {
            return isNegatedElsewhere(only.expression)
        }
        return node.is(InfixOperatorExprSyntax.self) || node.is(PrefixOperatorExprSyntax.self)
            || node.is(BooleanLiteralExprSyntax.self) || node.is(IfExprSyntax.self)
            || node.is(SwitchExprSyntax.self)
    }

    private func negateCondition(_ node: ExprSyntax) {
        if !isNegatedElsewhere(node) { negate(node) }
    }

    // MARK: Expressions

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else {
            return .visitChildren
        }
        switch token.text {
        case "==", "!=", "===", "!==": negate(node)
        case "<", "<=", ">", ">=": call(node, token, number(node, "boundary", "negated"))
        case "&&": call(node, token, number(node, "left operand only", "right operand only", "||"))
        case "||": call(node, token, number(node, "left operand only", "right operand only", "&&"))
        case "+", "-": call(node, token, number(node, token.text == "+" ? "-" : "+"))
        case "+=", "-=":
            guard let id = number(node, token.text == "+=" ? "-=" : "+=") else { break }
            edits.wrap(node, "Mutant.\(token.text == "+=" ? "add" : "subtract")(\(id), &")
            edits.replace(token, by: ",")
        default: break
        }
        return .visitChildren
    }

    private func call(_ node: InfixOperatorExprSyntax, _ token: TokenSyntax, _ id: Int?) {
        guard let id, let function = infixFunctions[token.text] else { return }
        edits.wrap(node, "Mutant.\(function)(\(id), ")
        edits.replace(token, by: ",")
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.text == "!" { negate(node) }
        return .visitChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node)
        return .skipChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let changed =
            node.literal.text == "0" ? "1" : node.literal.text == "1" ? "0" : "\(node.literal.text) + 1"
        if let id = number(node, changed) { edits.wrap(node, "Mutant.literal(\(id), \(changed), ") }
        return .skipChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negateCondition(node.condition)
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let callee = node.calledExpression.as(DeclReferenceExprSyntax.self),
            let first = node.arguments.first,
            node.arguments.count == 2
        {
            let name = callee.baseName.text
            if ["min", "max"].contains(name), let id = number(node, name == "min" ? "max" : "min") {
                edits.replace(callee.baseName, by: "Mutant.\(name)imum")
                edits.wrap(first, "\(id), ", "")
            }
            if ["assert", "precondition"].contains(name) { return .skipChildren }
        }
        return .visitChildren
    }

    // MARK: Conditions and results

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { negateCondition(condition) }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negateCondition(node.condition)
        return .visitChildren
    }

    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        negateCondition(node.condition)
        return .visitChildren
    }

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.expression, returnsBool(Syntax(node)) { negateCondition(value) }
        return .visitChildren
    }

    /// Whether the function, getter or variable around a node has the type Bool. A closure has an unknown one.
    private func returnsBool(_ node: Syntax) -> Bool {
        for ancestor in sequence(first: node, next: \.parent) {
            if ancestor.is(ClosureExprSyntax.self) { return false }
            if let function = ancestor.as(FunctionDeclSyntax.self) {
                return function.signature.returnClause?.type.trimmedDescription == "Bool"
            }
            if let binding = ancestor.as(PatternBindingSyntax.self) {
                return binding.typeAnnotation?.type.trimmedDescription == "Bool"
            }
            if ancestor.is(SubscriptDeclSyntax.self) || ancestor.is(InitializerDeclSyntax.self) {
                return false
            }
        }
        return false
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard case .expr(let expression) = node.item else { return .visitChildren }
        if isValue(node) {
            if returnsBool(Syntax(node)) { negateCondition(expression) }
        } else if isRemovable(expression), !isInInitializer(Syntax(node)),
            let id = number(node, "removed")
        {
            edits.wrap(expression, "if !Mutant.isActive(\(id)) { ", " }")
        }
        return .visitChildren
    }

    private func isRemovable(_ node: ExprSyntax) -> Bool {
        if let call = node.as(FunctionCallExprSyntax.self) {
            return !["precondition", "assert", "assertionFailure"].contains(
                call.calledExpression.trimmedDescription)
        }
        if let attempt = node.as(TryExprSyntax.self) { return isRemovable(attempt.expression) }
        if let wait = node.as(AwaitExprSyntax.self) { return isRemovable(wait.expression) }
        return node.is(InfixOperatorExprSyntax.self) || node.is(OptionalChainingExprSyntax.self)
    }

    /// Whether the statement is the value of its function, closure, getter, or of an `if` or `switch` that is a value.
    private func isValue(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), let block = list.parent,
            list.count == 1
        else {
            return false
        }
        if block.is(ClosureExprSyntax.self) || block.is(AccessorBlockSyntax.self) { return true }
        guard let owner = block.is(SwitchCaseSyntax.self) ? block : block.parent else { return false }
        if let function = owner.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause != nil
        }
        if let accessor = owner.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.text == "get"
        }
        guard owner.is(SwitchCaseSyntax.self) || owner.is(IfExprSyntax.self) else { return false }
        var branch = owner
        while let parent = branch.parent {
            if parent.is(CodeBlockItemSyntax.self) {
                return isValue(parent.cast(CodeBlockItemSyntax.self))
            }
            if !parent.is(SwitchCaseListSyntax.self), !parent.is(SwitchExprSyntax.self),
                !parent.is(IfExprSyntax.self),
                !parent.is(ExpressionStmtSyntax.self)
            {
                return true
            }
            branch = parent
        }
        return false
    }

    private func isInInitializer(_ node: Syntax) -> Bool {
        sequence(first: node, next: \.parent).contains { $0.is(InitializerDeclSyntax.self) }
    }

    // MARK: What is left alone

    /// Classes around the structs only perform what these decide.
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 3, var next = Int(arguments[1]) else {
    print("usage: mutate FIRST EXCLUDED FILE ...")
    exit(2)
}
let excluded = try String(contentsOfFile: arguments[2], encoding: .utf8).split(separator: "\n")
for file in arguments[3...] {
    let source = try String(contentsOfFile: file, encoding: .utf8)
    let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
    let lines = excluded.filter { $0.hasPrefix(file + ":") }.compactMap {
        Int($0.dropFirst(file.utf8.count + 1))
    }
    let mutator = Mutator(file: file, tree: tree, first: next, excludedLines: Set(lines))
    mutator.walk(tree)
    next = mutator.next
    try Data(mutator.edits.apply(to: Array(source.utf8))).write(to: URL(filePath: file))
}
