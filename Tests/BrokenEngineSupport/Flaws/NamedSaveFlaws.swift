import CairnModel
import CairnSQLite

extension Flaw {
    static let ofNamedSaves: [Flaw] = [
        Flaw("records no names of saves") {
            $0.requested = { (request, _) in request.id = nil }
        },
        Flaw("forgets the names of saves at once") {
            $0.naming = .forgetsAtOnce
        },
        Flaw("records the name of a save before its commit") {
            $0.naming = .recordsAtPrepare
        },
        Flaw("records the name of a save in another save") {
            $0.naming = .recordsInAnotherSave
        },
        Flaw("remembers the names of ten saves") {
            $0.naming = .remembersTen
        },
        Flaw("takes a name that it forgot for one that was not saved") {
            $0.naming = .callsForgottenNotSaved
        },
        Flaw("takes a name that is smaller than one that it forgot") {
            $0.naming = .takesForgottenNames
        },
        Flaw("remembers names until the store is closed") {
            $0.engine = SQLiteStore.self
            $0.naming = .keepsNamesInMemory
        },
        Flaw("shows names of saves in metadata") {
            $0.naming = .showsNamesInMetadata
        },
        Flaw("does not record saves of nothing") {
            $0.requested = { (request, _) in if request.isEmpty { request.id = nil } }
        },
    ]
}
