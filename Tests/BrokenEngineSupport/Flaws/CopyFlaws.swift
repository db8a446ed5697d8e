import CairnBinary
import CairnSQLite
import CairnStore

extension Flaw {
    static let ofCopies: [Flaw] = [
        ofCopying("copies the newest state", .showsTheNewest),
        ofCopying("copies no large values", .losesExternalData),
        ofCopying("copies a store under another identifier", .makesAnotherStore),
        ofCopying("keeps others from saving while a state is held", .keepsOthersFromSaving),
        ofCopying("copies no store during a save", .isRefusedDuringSaves),
        ofCopying("reports no progress of a copy", .reportsNothing),
        ofCopying("leaves the files of a copy that was ended", .leavesFiles),
        Flaw("overwrites the history of an existing store") {
            $0.engine = BinaryStore.self
            $0.copying = .overwritesHistory
        },
        Flaw("copies a store that is closed") {
            $0.engine = SQLiteStore.self
            $0.closes = false
        },
    ]

    private static func ofCopying(_ name: String, _ copying: Copying) -> Flaw {
        Flaw(name) {
            $0.engine = SQLiteStore.self
            $0.copying = copying
            // A save that waits for a held state should not wait for long.
            $0.opening = { $0.options[.timeout] = 0.2 }
        }
    }
}
