import CairnModel
import CairnSQLite
import CairnStore

extension Flaw {
    static let ofProcesses: [Flaw] = [
        Flaw("does not know the names of other processes") {
            $0.engine = SQLiteStore.self
            $0.naming = .keepsNamesInMemory
        },
        Flaw("does not see what other processes save") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showTheFirst
        },
        Flaw("hides during a save what other processes saved") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showDuringSavesWhatWasReadBefore
        },
        Flaw("shows what other processes save in old snapshots") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showTheNewest
        },
        Flaw("removes external data that other processes still show") {
            $0.engine = SQLiteStore.self
            $0.saving = .removesCompanionFolders
        },
        Flaw("overwrites what other processes save") {
            $0.engine = SQLiteStore.self
            $0.requested = { (request, packing) throws(StoreError) in
                try takeStoredVersions(&request, packing)
            }
        },
        Flaw("takes the write lock when it prepares") {
            $0.engine = SQLiteStore.self
            $0.saving = .locksAtPrepare
        },
        Flaw("acknowledges a save before it is made") {
            $0.engine = SQLiteStore.self
            $0.saving = .commitsWithTheNextSave
        },
        Flaw("commits what a killed process prepared") {
            $0.engine = SQLiteStore.self
            $0.saving = .commitsAtPrepare
        },
        Flaw("hides metadata while a store is open") {
            $0.engine = SQLiteStore.self
            $0.hidesMetadata = true
        },
        Flaw("says that its snapshots keep others from saving") {
            $0.engine = SQLiteStore.self
            $0.saysThatSnapshotsBlock = true
        },
        Flaw("moves a store that another process has open") {
            $0.engine = SQLiteStore.self
            $0.exclusiveUse = .seesOwnProcessOnly
        },
        Flaw("lets a store be opened while it is moved") {
            $0.engine = SQLiteStore.self
            $0.exclusiveUse = .lastsNotLongEnough
        },
    ]
}
