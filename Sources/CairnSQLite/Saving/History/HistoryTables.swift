import CairnModel
import Foundation

/// The tables of persistent history: what each save changed, by which author, and when.
struct HistoryTables: Sendable {
    static let change = SQLName("ACHANGE")
    static let transaction = SQLName("ATRANSACTION")
    static let text = SQLName("ATRANSACTIONSTRING")

    /// The store's entity numbers of the three tables.
    enum EntityID {
        static let change: Int64 = 16001
        static let transaction: Int64 = 16002
        static let text: Int64 = 16003
    }

    /// The columns of the tables.
    let catalog: SchemaCatalog

    /// Returns `nil` if the store has no history.
    init?(_ catalog: SchemaCatalog) {
        guard [Self.change, Self.transaction, Self.text].allSatisfy(catalog.hasTable) else {
            return nil
        }
        self.catalog = catalog
    }
}
