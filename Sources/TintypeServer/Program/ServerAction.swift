import Tintype
import TintypeCore

/// What the arguments of `tintype-server` ask for. All other settings are environment variables.
package enum ServerAction: Equatable, Sendable {
    /// Serve.
    case serve(isUnsigned: Bool)
    /// Print a text for the operator.
    case print(String)
    /// Refuse the arguments, for a reason.
    case refuse(String)

    /// Reads arguments, without the name of the program. The first one that asks for a text decides.
    package init(arguments: some Sequence<String>) {
        var isUnsigned = false
        for argument in arguments {
            switch argument {
            case "--unsigned": isUnsigned = true
            case "--help", "-h":
                self = .print(Self.help)
                return
            case "--settings":
                self = .print(SettingsTable.markdown)
                return
            case "--version":
                self = .print(ProductVersion.current)
                return
            default:
                self = .refuse(
                    "unknown argument \"\(argument.printable)\"; expected --unsigned, --settings, --version or --help")
                return
            }
        }
        self = .serve(isUnsigned: isUnsigned)
    }

    /// Returns the settings of the server: those of the environment, with what the arguments change.
    package static func environment(_ environment: [String: String], isUnsigned: Bool) -> [String: String] {
        guard isUnsigned else { return environment }
        return environment.merging(["TINTYPE_UNSIGNED": "true"]) { $1 }
    }

    private static let help = """
        tintype-server resizes and converts images by URL, in the grammar of imgproxy.

        usage: tintype-server [--unsigned]

          --unsigned   accept URLs without a signature, on the loopback address (TINTYPE_UNSIGNED=true)
          --settings   print the table of all settings in Markdown
          --version    print the version
          -h, --help   print this text

        The settings are environment variables, and are checked before the server listens. It refuses to start without
        TINTYPE_KEY and TINTYPE_SALT, unless URLs need no signature.
        """
}
