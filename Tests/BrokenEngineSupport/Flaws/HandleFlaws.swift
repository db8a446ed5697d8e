import CairnSQLite

extension Flaw {
    static let ofHandles: [Flaw] = [
        Flaw("shows the metadata that it has read once") {
            $0.engine = SQLiteStore.self
            $0.keepsMetadata = true
        },
        Flaw("hides during a save what the other handle saved") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showDuringSavesWhatWasReadBefore
        },
        Flaw("does not see what another handle saved") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showTheFirst
        },
    ]
}
