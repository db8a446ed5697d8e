import Foundation

/// The program that tests start if they need another process. It holds stores open, saves to them and reads
/// damaged files. Tests may kill it.
///
/// The first argument selects a command; the others are arguments of the command:
///
///     pictures VERB …            a store of pictures of any engine (``PictureVerbs``)
///     counters VERB …            a whole-file store of counters (``CounterVerbs``)
///     library VERB …             an LMDB store of books and tags (``LibraryVerbs``)
///     edit MODEL …               edits stores that another program also edits (``EditorVerbs``)
///     people VERB …              saves to stores with a history (``PeopleVerbs``)
///     damage SUBJECT …           reads damaged files of an engine (``DamagedReading``)
///     extremes PATH …            reads copies of an LMDB store with extreme numbers (``ExtremeReading``)
///     take memory|time           uses memory or time until a limit ends it (``ProcessBounds``)
///     sqlite-lock PATH           prints whether SQLite could read the file now
///     serve SOCKET FOLDER        serves LMDB stores over a Unix socket until its input ends
///     lives FOLDER               a fetch, a save and a fault, for `script/hops` (``LifeVerbs``)
///     conform ENGINE [TOPIC] …   tests an engine with the kit, or serves a rule as the other process
///
/// It is started by `WorkerProcess` of CairnTestSupport, or by the kit's `WorkerExecutable`.
@main enum TestWorker {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "pictures": try PictureVerbs.run(rest)
        case "counters": try CounterVerbs.run(rest)
        case "library": try LibraryVerbs.run(rest)
        case "edit": try EditorVerbs.run(rest)
        case "people": try PeopleVerbs.run(rest)
        case "damage": try DamagedReading.run(rest)
        case "extremes": try ExtremeReading.run(rest)
        case "take": try ProcessBounds.run(rest)
        case "sqlite-lock": try SQLiteLock.run(rest)
        case "serve": try Serving.run(rest)
        case "lives": try LifeVerbs.run(rest)
        case "conform": exit(Conforming.run(rest))
        default: throw WrongArguments(arguments)
        }
    }

    /// Writes a line immediately, so that the last line is known even if a signal ends the process.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    /// Changes this process's user and groups. If that is not allowed, prints a message and ends the process.
    ///
    /// - Parameter shared: another group of the user, or `nil`.
    static func become(_ user: uid_t, alsoIn shared: gid_t? = nil) {
        let groups = shared.map { [$0] } ?? []
        guard setgroups(groups.count, groups) == 0, setgid(user) == 0, setuid(user) == 0 else {
            say("not run: this user cannot become another one")
            exit(0)
        }
    }

    static func waitForever() -> Never {
        while true { pause() }
    }
}

/// Arguments that do not form a valid command.
struct WrongArguments: Error {
    let arguments: [String]

    init(_ arguments: [String]) { self.arguments = arguments }
}

/// Something that the worker's store should contain but does not.
struct Missing: Error {
    let what: String

    /// Returns the value. Throws if it is `nil`.
    static func check<Value>(_ value: Value?, _ what: String) throws -> Value {
        guard let value else { throw Missing(what: what) }
        return value
    }
}
