import Foundation
import Testing

@testable import TintypeCore

@Suite struct FolderRuleTests {
    struct Case: Sendable {
        let rule: FolderRule
        var owner: uid_t = 1000
        let mode: mode_t
        var problem: FolderFailure.Problem?
    }

    static let cases = [
        Case(rule: .own, mode: 0o700), Case(rule: .own, mode: 0o755), Case(rule: .own, owner: 0, mode: 0o755),
        Case(rule: .own, owner: 1001, mode: 0o700, problem: .foreign(1001)),
        Case(rule: .own, mode: 0o720, problem: .writable), Case(rule: .own, mode: 0o702, problem: .writable),
        // Even in a sticky directory, others can create files.
        Case(rule: .own, mode: 0o1777, problem: .writable),
        Case(rule: .named, mode: 0o700), Case(rule: .named, mode: 0o775), Case(rule: .named, owner: 0, mode: 0o1777),
        Case(rule: .named, owner: 1001, mode: 0o700, problem: .foreign(1001)),
        Case(rule: .named, mode: 0o777, problem: .writable),
        Case(rule: .readOnly, owner: 1001, mode: 0o755), Case(rule: .readOnly, mode: 0o775),
        Case(rule: .readOnly, owner: 0, mode: 0o1777, problem: .writable),
        Case(rule: .readOnlyParent, owner: 1001, mode: 0o1777),
        Case(rule: .readOnlyParent, mode: 0o777, problem: .writable),
    ]

    @Test(arguments: cases) func ownerAndModeDecide(_ example: Case) {
        #expect(example.rule.problem(owner: example.owner, mode: example.mode, user: 1000) == example.problem)
    }
}
