import CairnModel
import CairnStore
import Foundation

/// The tables of persistent history: what each save changed, who saved, and when.
struct HistoryTables: Sendable {
    static let change = SQLName("ACHANGE")
    static let transaction = SQLName("ATRANSACTION")
    static let text = SQLName("ATRANSACTIONSTRING")

    /// The store's numbers of the three entities that the tables hold.
    enum EntityID {
        static let change: Int64 = 16001
        static let transaction: Int64 = 16002
        static let text: Int64 = 16003
    }

    /// Columns by table, in the table's order.
    let catalog: SchemaCatalog

    /// `nil` for a store that keeps no history.
    init?(_ catalog: SchemaCatalog) {
        guard [Self.change, Self.transaction, Self.text].allSatisfy(catalog.hasTable) else {
            return nil
        }
        self.catalog = catalog
    }
}
