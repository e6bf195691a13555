package import Foundation

/// A rule on which users may own a directory and write to it.
package enum FolderRule: Sendable {
    /// A directory that Tintype creates and whose contents it trusts: this user or the superuser owns it, and no one
    /// else may write to it.
    case own
    /// A directory that the user named, and in which an ``own`` one lies: this user or the superuser owns it. Its group
    /// may write to it, because some systems give each user a group, and new directories group write access. Others may
    /// write to it only if it is sticky like `/tmp`, so that they cannot replace its contents.
    case named
    /// A directory above a ``named`` one: this user or the superuser owns it, or a user that this user namespace does
    /// not know. The same rules on writing apply, so that others cannot put another directory in place of the named
    /// one.
    case ancestor
    /// A symbolic link in the path of a ``named`` directory: only its owner can change where it leads.
    case link
    /// A directory that is only read, such as one bundled with a program: any user may own it, but others may not write
    /// to it.
    case readOnly
    /// A directory that the user named, and in which a ``readOnly`` one lies: others may write to it only if it is
    /// sticky.
    case readOnlyParent

    /// Returns the problem of a directory or link; `nil` if it can be used.
    ///
    /// - Parameters:
    ///   - owner: The user that owns the directory.
    ///   - mode: Its permissions (inode(7)).
    ///   - user: The effective user of this process.
    package func problem(owner: uid_t, mode: mode_t, user: uid_t) -> FolderFailure.Problem? {
        let isForeign = owner != user && owner != 0
        let isUnknown = owner == UserNamespace.unknownUser
        return switch self {
        case .own: isForeign ? .foreign(owner) : mode & 0o022 != 0 ? .writable : nil
        case .named: isForeign ? .foreign(owner) : mode & 0o1002 == 0o0002 ? .replaceable : nil
        case .ancestor: isForeign && !isUnknown ? .foreign(owner) : mode & 0o1002 == 0o0002 ? .replaceable : nil
        case .link: isForeign && !isUnknown ? .foreign(owner) : nil
        case .readOnly: mode & 0o002 != 0 ? .writable : nil
        case .readOnlyParent: mode & 0o1002 == 0o0002 ? .replaceable : nil
        }
    }
}

/// The reason why a directory cannot be used.
package struct FolderFailure: Error {
    /// The kind of problem.
    package enum Problem: Equatable, Sendable {
        /// A system call failed with this value of `errno`.
        case system(Int32)
        /// Another user owns it.
        case foreign(uid_t)
        /// Other users may write to it.
        case writable
        /// Other users may replace what lies in it.
        case replaceable
        /// It is a link or a file.
        case notADirectory
    }

    package let problem: Problem
    /// The path of the directory.
    package let path: String

    init(_ problem: Problem, _ path: String) {
        (self.problem, self.path) = (problem, path)
    }

    /// Whether the directory exists but must not be trusted.
    package var isRefusal: Bool { if case .system = problem { false } else { true } }

    /// A description of the problem, and its remedy.
    package var reason: String {
        switch problem {
        case .system(let number): SystemError.description(number)
        case .foreign(let owner): "user \(owner) owns it; name a directory of your own"
        case .writable: "other users may write to it; forbid that (chmod go-w), or name another directory"
        case .replaceable:
            "other users may write to it; forbid that (chmod o-w or chmod +t), or name another directory"
        case .notADirectory: "it is a link or a file, not a directory; remove it"
        }
    }

    /// The value of `errno`; `EPERM` for a directory that must not be trusted.
    package var errorNumber: Int32 { if case .system(let number) = problem { number } else { EPERM } }
}

/// The user namespace of this process (user_namespaces(7)).
enum UserNamespace {
    /// The user that the kernel reports in place of every user outside of the namespace, such as the superuser of the
    /// machine in some sandboxes. `nil` if the namespace maps all users.
    static let unknownUser: uid_t? = {
        let map = try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)
        return map.map { contains(overflowUser, $0) } ?? true ? nil : overflowUser
    }()

    /// The default of `/proc/sys/kernel/overflowuid`.
    private static let overflowUser: uid_t = 65_534

    /// Returns whether a user ID is mapped in this user namespace.
    ///
    /// - Parameters:
    ///   - user: The user ID inside the namespace.
    ///   - map: The text of `/proc/self/uid_map`. Each line has the first ID inside the namespace, the first ID
    ///     outside, and the number of IDs.
    static func contains(_ user: uid_t, _ map: String) -> Bool {
        map.split(separator: "\n").contains { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 && UInt64(user) >= numbers[0] && UInt64(user) - numbers[0] < numbers[2]
        }
    }
}
