import CairnModel
import CairnStore
import Synchronization

/// The information needed to read a store. It is shared by all snapshots of the store.
final class FetchSchema: Sendable {
    let map: SchemaMap
    /// The number that the IDs of the store's objects contain.
    let store: StoreNumber
    let location: StoreLocation
    private let codecs = Mutex<[Range<EntityNumber>: RowCodec]>([:])

    init(map: SchemaMap, store: StoreNumber, location: StoreLocation) {
        self.map = map
        self.store = store
        self.location = location
    }

    /// Returns the codec that reads rows of the given entities, which must belong to one hierarchy.
    /// Returns `nil` if the store holds none of them.
    func codec(of entities: Range<EntityNumber>) -> RowCodec? {
        codecs.withLock { codecs in
            if let known = codecs[entities] { return known }
            let codec = RowCodec(entities, in: self)
            codecs[entities] = codec
            return codec
        }
    }

    /// Returns the codec that reads rows of a root entity and all entities below it. Returns `nil`
    /// if the store holds none of them.
    func codec(ofRoot root: EntityNumber) -> RowCodec? {
        map.model.entity(numbered: root).flatMap { codec(of: $0.rootEntity.hierarchyNumbers) }
    }
}

extension StoreError {
    /// Returns the error for a stored value that does not fit its column.
    static func corruptRow(
        at location: StoreLocation, table: SQLName, column: SQLName?, key: Int64, _ detail: String
    ) -> StoreError {
        let column = column.map { ", column \($0.text)" } ?? ""
        return .corrupt(
            location, location: "table \(table.text)\(column), key \(key)", detail: detail)
    }
}
