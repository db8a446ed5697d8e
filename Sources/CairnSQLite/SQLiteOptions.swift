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

    static let all: Set<StoreOption> = [.timeout, .synchronous, .roundsValues]

    var timeout: Duration = .seconds(5)
    var synchronous = Synchronous.full
    var roundsValues = false

    /// - Throws: `.invalidOption`.
    init(_ options: StoreOptions) throws(StoreError) {
        try options.requireKnown(Self.all, by: "a SQLite store")
        timeout = try options.timeout()
        for (option, value) in options {
            switch (option, value) {
            case (.synchronous, .string(let text)):
                guard let level = Synchronous(rawValue: text.uppercased()) else {
                    throw .invalidOption(option, detail: "it takes FULL or NORMAL")
                }
                synchronous = level
            case (.synchronous, _):
                throw .invalidOption(option, detail: "it takes FULL or NORMAL")
            case (.roundsValues, .boolean(let rounds)): roundsValues = rounds
            case (.roundsValues, _):
                throw .invalidOption(option, detail: "it takes true or false")
            default: break
            }
        }
    }
}

extension StoreOption {
    /// SQLite: `FULL` (the default: a save that returned survives power loss) or `NORMAL` (a power
    /// loss may undo the saves since the last checkpoint).
    public static let synchronous: StoreOption = "synchronous"
    /// SQLite: whether values that its columns do not keep exactly are saved as what they come
    /// back as (NaN as nil, −0 as 0, decimals as the nearest double), not refused. Default: false.
    public static let roundsValues: StoreOption = "roundsValues"
}
