import CairnSQLite
import CairnStore

extension Flaw {
    static let ofHistory: [Flaw] = [
        ofHistory("leaves out updates in its history") {
            $0.changes.removeAll { $0.changeType == .update }
        },
        ofHistory("records an insertion as an update") {
            for index in $0.changes.indices where $0.changes[index].changeType == .insert {
                $0.changes[index].changeType = .update
            }
        },
        ofHistory("forgets the authors of saves") { $0.author = nil },
        ofHistory("forgets the names of contexts") { $0.contextName = nil },
        ofHistory("forgets which properties were updated") {
            for index in $0.changes.indices { $0.changes[index].updatedProperties = [] }
        },
        ofHistory("forgets the preserved values of deleted objects") {
            for index in $0.changes.indices { $0.changes[index].tombstone = [:] }
        },
        Flaw("reads its history one transaction too late") { $0.history = .readsTooLate },
        Flaw("reads its history one transaction too early") { $0.history = .readsTooEarly },
        Flaw("ignores the marks of positions") { $0.history = .ignoresMarks },
        Flaw("skips what was purged") { $0.history = .skipsPurged },
        Flaw("purges one transaction too many") { $0.history = .purgesTooMuch },
        Flaw("purges nothing") { $0.history = .purgesNothing },
        Flaw("adds no transactions of another store") { $0.history = .addsNothing },
        Flaw("gives the transactions of another store new numbers") { $0.history = .numbersAnew },
        Flaw("answers without a history") { $0.history = .answersWithoutHistory },
        Flaw("records saves that are rolled back") { $0.history = .recordsAttempts },
        Flaw("ends its history when it is closed") {
            $0.engine = SQLiteStore.self
            $0.history = .endsWithTheHandle
        },
        Flaw("hides the transactions of other handles") {
            $0.engine = SQLiteStore.self
            $0.history = .hidesOthers
        },
    ]

    private static func ofHistory(
        _ name: String,
        _ change: @escaping @Sendable (inout PersistentHistoryTransaction) -> Void
    ) -> Flaw {
        Flaw(name) { $0.recalled = change }
    }
}
