import Testing
import Tintype

@testable import TintypeCommand

/// The paths of outputs, which become known at different times.
@Suite struct PathClaimsTests {
    private func input(_ path: String) -> BatchInput { BatchInput(source: SourceArgument(argument: path)) }

    private func conflict(_ claims: inout PathClaims, _ path: String, _ name: String) -> PathClaims.Conflict? {
        do throws(PathClaims.Conflict) {
            try claims.claim(path, for: input(name))
            return nil
        } catch {
            return error
        }
    }

    @Test func aPathBelongsToOneImage() {
        var claims = PathClaims(protecting: [], in: "/home/me")
        #expect(conflict(&claims, "o/a.jpg", "x.png") == nil)
        #expect(conflict(&claims, "o/a.jpg", "x.png") == nil)
        for path in ["o/a.jpg", "./o//a.jpg", "/home/me/o/a.jpg", "o/../o/a.jpg"] {
            #expect(conflict(&claims, path, "y.png") == .output(input("x.png")), "\(path)")
        }
        #expect(conflict(&claims, "o/b.jpg", "y.png") == nil)
    }

    /// The second run of a template such as `{stem}-{width}.jpg` finds the outputs of the first one among its inputs.
    @Test func anInputIsNotReplacedByTheOutputOfAnother() {
        var claims = PathClaims(protecting: [input("a.jpg"), input("a-256.jpg")], in: "/home/me")
        #expect(conflict(&claims, "./a-256.jpg", "a.jpg") == .input(input("a-256.jpg")))
        #expect(conflict(&claims, "a-256-256.jpg", "a-256.jpg") == nil)
        #expect(conflict(&claims, "a.jpg", "a.jpg") == nil)
    }

    /// The escaped form of a name that is not UTF-8 is the path of another file.
    @Test func theEscapedNameOfAnInputIsFree() {
        let unnamed = BatchInput(source: SourceArgument(argument: "\\xFF.png"), problem: .notUTF8)
        var claims = PathClaims(protecting: [unnamed], in: "/home/me")
        #expect(conflict(&claims, "\\xFF.png", "a.png") == nil)
    }

    /// Both are displayed without the user name.
    @Test func inputsThatAreDisplayedAlikeAreDifferent() {
        var claims = PathClaims(protecting: [], in: "/")
        #expect(conflict(&claims, "x", "http://a@h/x") == nil)
        #expect(conflict(&claims, "x", "http://b@h/x") == .output(input("http://a@h/x")))
    }
}
