import CairnModel
import CairnStore

/// Properties whose combined values occur once in a store.
struct UniquenessTable: Sendable {
    /// The entity that declares it.
    let entity: String
    let properties: [String]
    let table: LMDBTable
}
