import CairnSQLite

extension Flaw {
    static let ofDamage: [Flaw] = [
        Flaw("ends the process where a store is damaged") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .crashesOnDamage
        },
        Flaw("makes a store of another engine's file") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .replacesForeignFiles
        },
    ]
}
