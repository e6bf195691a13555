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
        Case(rule: .named, mode: 0o777, problem: .replaceable),
        Case(rule: .ancestor, mode: 0o775), Case(rule: .ancestor, owner: 0, mode: 0o1777),
        Case(rule: .ancestor, owner: 1001, mode: 0o755, problem: .foreign(1001)),
        Case(rule: .ancestor, owner: 0, mode: 0o777, problem: .replaceable),
        Case(rule: .link, mode: 0o777), Case(rule: .link, owner: 0, mode: 0o777),
        Case(rule: .link, owner: 1001, mode: 0o777, problem: .foreign(1001)),
        Case(rule: .readOnly, owner: 1001, mode: 0o755), Case(rule: .readOnly, mode: 0o775),
        Case(rule: .readOnly, owner: 0, mode: 0o1777, problem: .writable),
        Case(rule: .readOnlyParent, owner: 1001, mode: 0o1777),
        Case(rule: .readOnlyParent, mode: 0o777, problem: .replaceable),
    ]

    @Test(arguments: cases) func ownerAndModeDecide(_ example: Case) {
        #expect(example.rule.problem(owner: example.owner, mode: example.mode, user: 1000) == example.problem)
    }

    @Test(arguments: [
        ("         0          0 4294967295\n", true), ("0 1000 1\n", false), ("0 1000 1\n1 100000 65536\n", true),
        ("65534 5 1", true), ("65535 5 1", false), ("0 1000", false), ("", false),
    ]) func aUserNamespaceHasTheUsersInItsMap(_ map: String, _ hasUser: Bool) {
        #expect(UserNamespace.contains(65_534, map) == hasUser)
    }
}
