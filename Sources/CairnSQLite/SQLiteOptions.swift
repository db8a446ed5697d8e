import CairnStore

/// The settings of a SQLite store.
struct SQLiteOptions: Sendable {
    /// How durable a commit is.
    enum Synchronous: String, Sendable {
        /// A completed save survives a power loss. The default.
        case full = "FULL"
        /// A completed save survives a crash of the process. A power loss may undo saves since the
        /// last checkpoint, but never only a part of a save.
        case normal = "NORMAL"
    }

    static let all: Set<StoreOption> = [
        .timeout, .tracksHistory, .synchronous, .roundsValues, .sqlitePragmas,
        .sqlDebug,
    ]

    var timeout: Duration = .seconds(5)
    var synchronous = Synchronous.full
    var roundsValues = false
    /// Whether the store keeps a history from now on.
    var tracksHistory = false
    /// Reports the statements of all connections. `nil` for no reports.
    var statementLog: StatementLog?

    /// - Throws: `.invalidOption`.
    init(_ options: StoreOptions) throws(StoreError) {
        try options.requireKnown(Self.all, by: "a SQLite store")
        timeout = try options.timeout()
        tracksHistory = try options.tracksHistory()
        for (option, value) in options {
            switch (option, value) {
            case (.synchronous, let level): try setSynchronous(level, option, "its value")
            case (.sqlitePragmas, .dictionary(let pragmas)): try set(pragmas)
            case (.sqlitePragmas, _):
                throw .invalidOption(option, detail: "its value must be a dictionary of pragmas")
            case (.roundsValues, .boolean(let rounds)): roundsValues = rounds
            case (.roundsValues, _):
                throw .invalidOption(option, detail: "its value must be true or false")
            case (.sqlDebug, .integer(let number)):
                guard let level = StatementLog.Level(rawValue: Int(number)) else { fallthrough }
                statementLog = StatementLog(level)
            case (.sqlDebug, _):
                throw .invalidOption(option, detail: "its value must be a number from 1 to 4")
            default: break
            }
        }
    }

    private mutating func setSynchronous(
        _ value: MetadataValue, _ option: StoreOption, _ name: String
    ) throws(StoreError) {
        guard case .string(let text) = value, let level = Synchronous(rawValue: text.uppercased())
        else { throw .invalidOption(option, detail: "\(name) must be FULL or NORMAL") }
        synchronous = level
    }

    private mutating func set(_ pragmas: [String: MetadataValue]) throws(StoreError) {
        for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
            switch (name.lowercased(), value) {
            case ("synchronous", _):
                try setSynchronous(value, .sqlitePragmas, "synchronous")
            case ("journal_mode", .string(let mode)) where mode.uppercased() == "WAL": break
            case ("journal_mode", _):
                throw .invalidOption(
                    .sqlitePragmas, detail: "journal_mode is always WAL. Leave the pragma out")
            default:
                throw .invalidOption(
                    .sqlitePragmas,
                    detail: "the pragma \(name) cannot be set. Leave it out")
            }
        }
    }
}

extension StoreOption {
    /// For SQLite stores: how durable a save is. `FULL`, the default, means that a completed save
    /// survives a power loss. With `NORMAL`, a power loss may undo the saves since the last
    /// checkpoint.
    public static let synchronous: StoreOption = "synchronous"
    /// For SQLite stores: a dictionary of pragmas by name. The key is the same as in Core Data.
    /// Accepts `synchronous` (see ``synchronous``) and `journal_mode` (only `WAL`), and rejects all
    /// other pragmas.
    public static let sqlitePragmas: StoreOption = "NSSQLitePragmasOption"
    /// For SQLite stores: whether values that cannot be stored exactly are rounded instead of
    /// rejected. NaN becomes `nil`, −0 becomes 0, and a decimal becomes the nearest double. The
    /// default is `false`.
    public static let roundsValues: StoreOption = "roundsValues"
    /// For SQLite stores: reports each SQL statement to swift-log as `cairn.sql`, at the level `info`. The key
    /// is that of Core Data's launch argument. 1 reports the statements without values, and their times; 2
    /// also steps from row to row without an index, sorts, and indexes that SQLite made for a statement; 3
    /// also values, which are those of the store; 4 also how SQLite finds the rows.
    public static let sqlDebug: StoreOption = "com.apple.CoreData.SQLDebug"
}
