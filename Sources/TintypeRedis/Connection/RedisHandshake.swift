import TintypeCore

/// The commands that open a connection, one after the other: `HELLO 3` with authentication and a name. Servers that do
/// not know it (before Redis 6, and some proxies) get `AUTH` and `CLIENT SETNAME` instead. `SELECT` follows if
/// necessary.
struct RedisHandshake: Sendable {
    private enum Step: Hashable, Sendable {
        case hello, authenticate, setName, select
    }

    enum Progress: Sendable {
        case send(RESPCommand)
        case done
        case refused(TintypeError)
    }

    private static let clientName = RESPCommand.Argument.text("tintype")

    private let user: String?
    private let password: String?
    private let database: Int
    private let server: String
    private var step = Step.hello

    init(_ configuration: RedisConfiguration) {
        (user, password) = (configuration.user, configuration.password)
        (database, server) = (configuration.database, configuration.name)
    }

    /// The first command.
    var first: RESPCommand {
        let credential: [RESPCommand.Argument] =
            password.map { ["AUTH", .text(user ?? "default"), .text($0)] } ?? []
        return RESPCommand(["HELLO", 3] + credential + ["SETNAME", Self.clientName])
    }

    /// Continues with the reply to the last command.
    mutating func received(_ reply: RESPValue) -> Progress {
        guard case .error(let text) = reply else { return next(after: step) }
        let code = RedisServerError.code(of: text)
        switch step {
        // The text of such an error may quote the command with the password.
        case .hello where ["ERR", "NOPROTO", "NOPERM"].contains(code) && !Self.isFull(text):
            return fallBack()
        case .setName: return next(after: .setName)
        case .hello, .authenticate, .select: return .refused(refusal(text, code))
        }
    }

    private mutating func fallBack() -> Progress {
        guard let password else { return begin(.setName) }
        step = .authenticate
        let credential = [user, password].compactMap { $0.map(RESPCommand.Argument.text) }
        return .send(RESPCommand(["AUTH"] + credential))
    }

    private mutating func next(after step: Step) -> Progress {
        switch step {
        case .authenticate: begin(.setName)
        case .hello, .setName: database == 0 ? .done : begin(.select)
        case .select: .done
        }
    }

    private mutating func begin(_ step: Step) -> Progress {
        self.step = step
        return .send(
            step == .select
                ? RESPCommand("SELECT", .number(Int64(database))) : RESPCommand("CLIENT", "SETNAME", Self.clientName))
    }

    private static func isFull(_ text: String) -> Bool {
        text.hasPrefix("ERR max number of clients")
    }

    /// The error of a refusal. It never quotes the server, which may quote the password.
    private func refusal(_ text: String, _ code: String) -> TintypeError {
        let reason =
            switch code {
            case "NOAUTH": "the server requires a password"
            case "WRONGPASS": "the server refuses the user name or the password"
            case "DENIED": "the server is in protected mode: give it a password or bind it to an address"
            case _ where Self.isFull(text): "the server has too many clients"
            case _ where step == .select: "the server refuses database \(database)"
            case _ where step == .authenticate: "the server refuses to authenticate"
            default: "the server refuses the connection"
            }
        return TintypeError(
            .badStatus, stage: .load, "\(reason) (\(code.isEmpty ? "no code" : code))", subject: server)
    }
}
