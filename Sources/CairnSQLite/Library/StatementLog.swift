import CairnCSQLite
import CairnStore
import Logging

/// Reports the statements of a connection to swift-log, as Core Data's launch argument
/// `com.apple.CoreData.SQLDebug` does. SQLite calls it after each statement. Without it, statements
/// cost nothing more.
final class StatementLog: Sendable {
    /// How much is reported of each statement.
    enum Level: Int, Sendable, Comparable {
        /// Its text, without values, and its time.
        case statements = 1
        /// Also its steps from row to row without an index, its sorts, and the indexes that SQLite made for it.
        case work
        /// Also its values.
        case values
        /// Also how SQLite finds its rows, when the statement is prepared.
        case plans

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let level: Level
    private let logger: Logger

    init(_ level: Level, logger: Logger = Logger(label: "cairn.sql")) {
        self.level = level
        self.logger = logger
    }

    /// Reports the connection's statements from now on. The log must outlive the connection.
    func attach(to handle: OpaquePointer) {
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, nanoseconds in
                guard let context, let statement, let nanoseconds else { return 0 }
                Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue().report(
                    OpaquePointer(statement),
                    nanoseconds.load(as: sqlite3_int64.self))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Reports how SQLite finds the rows of a new statement.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func reportPlan(of statement: SQLiteStatement, on connection: SQLiteConnection)
        throws(StoreError)
    {
        guard level >= .plans else { return }
        let steps = try statement.plan(on: connection)
        if !steps.isEmpty {
            logger.info("plan", metadata: ["steps": "\(steps.joined(separator: "; "))"])
        }
    }

    private func report(_ statement: OpaquePointer, _ nanoseconds: Int64) {
        let text = level >= .values ? Self.expanded(statement) : Self.text(sqlite3_sql(statement))
        guard let text, !text.hasPrefix("EXPLAIN QUERY PLAN") else { return }
        var metadata: Logger.Metadata = ["ms": "\(Double(nanoseconds / 1_000) / 1_000)"]
        if level >= .work {
            let work = [
                ("scan steps", SQLITE_STMTSTATUS_FULLSCAN_STEP),
                ("sorts", SQLITE_STMTSTATUS_SORT), ("indexes made", SQLITE_STMTSTATUS_AUTOINDEX),
            ]
            for (name, counter) in work {
                let count = sqlite3_stmt_status(statement, counter, 1)
                if count > 0 { metadata[name] = "\(count)" }
            }
        }
        logger.info("\(text)", metadata: metadata)
    }

    private static func expanded(_ statement: OpaquePointer) -> String? {
        guard let expanded = sqlite3_expanded_sql(statement) else {
            return text(sqlite3_sql(statement))
        }
        defer { sqlite3_free(expanded) }
        return text(expanded)
    }

    private static func text(_ characters: UnsafePointer<CChar>?) -> String? {
        characters.map { String(cString: $0) }
    }
}
