import CairnStore

/// The settings of a SQLite store.
struct SQLiteOptions: Sendable {
    /// How hard a commit is pushed to the medium.
    enum Synchronous: String, Sendable {
        /// A save that returned survives power loss. The default.
        case full = "FULL"
        /// A save that returned survives a crash of the process; a power loss may undo the saves
        /// since the last checkpoint, and never tears one.
        case normal = "NORMAL"
    }

    static let all: Set<StoreOption> = [
        .timeout, .synchronous, .roundsValues, .sqlitePragmas,
    ]

    var timeout: Duration = .seconds(5)
    var synchronous = Synchronous.full
    var roundsValues = false

    /// - Throws: `.invalidOption`.
    init(_ options: StoreOptions) throws(StoreError) {
        try options.requireKnown(Self.all, by: "a SQLite store")
        timeout = try options.timeout()
        for (option, value) in options {
            switch (option, value) {
            case (.synchronous, let level): try setSynchronous(level, option, "it")
            case (.sqlitePragmas, .dictionary(let pragmas)): try set(pragmas)
            case (.sqlitePragmas, _):
                throw .invalidOption(option, detail: "it takes a dictionary of pragmas")
            case (.roundsValues, .boolean(let rounds)): roundsValues = rounds
            case (.roundsValues, _):
                throw .invalidOption(option, detail: "it takes true or false")
            default: break
            }
        }
    }

    private mutating func setSynchronous(
        _ value: MetadataValue, _ option: StoreOption, _ name: String
    ) throws(StoreError) {
        guard case .string(let text) = value, let level = Synchronous(rawValue: text.uppercased())
        else { throw .invalidOption(option, detail: "\(name) takes FULL or NORMAL") }
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
    /// SQLite: `FULL` (the default: a save that returned survives power loss) or `NORMAL` (a power
    /// loss may undo the saves since the last checkpoint).
    public static let synchronous: StoreOption = "synchronous"
    /// SQLite: pragmas by their names, a dictionary of texts, under Core Data's name. Takes `synchronous`
    /// (as ``synchronous``) and `journal_mode` (only `WAL`); any other pragma is refused.
    public static let sqlitePragmas: StoreOption = "NSSQLitePragmasOption"
    /// SQLite: whether values that its columns do not keep exactly are saved as what they come
    /// back as (NaN as nil, −0 as 0, decimals as the nearest double), not refused. Default: false.
    public static let roundsValues: StoreOption = "roundsValues"
}
