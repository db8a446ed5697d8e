import CairnModel
import CairnStore
import Synchronization

/// What reading a store needs to know of it; the same for all of its snapshots.
final class FetchSchema: Sendable {
    let map: SchemaMap
    /// The number in the IDs of the store's objects.
    let store: StoreNumber
    let location: StoreLocation
    private let codecs = Mutex<[Range<EntityNumber>: RowCodec]>([:])

    init(map: SchemaMap, store: StoreNumber, location: StoreLocation) {
        self.map = map
        self.store = store
        self.location = location
    }

    /// Returns what reads rows of those entities of one hierarchy. Returns `nil` if the store holds
    /// none.
    func codec(of entities: Range<EntityNumber>) -> RowCodec? {
        codecs.withLock { codecs in
            if let known = codecs[entities] { return known }
            let codec = RowCodec(entities, in: self)
            codecs[entities] = codec
            return codec
        }
    }

    /// Returns what reads rows of a root entity and all below it. Returns `nil` if the store holds
    /// none.
    func codec(ofRoot root: EntityNumber) -> RowCodec? {
        map.model.entity(numbered: root).flatMap { codec(of: $0.rootEntity.hierarchyNumbers) }
    }
}

extension StoreError {
    /// The error of a stored value that is not what its column must hold.
    static func corruptRow(
        at location: StoreLocation, table: SQLName, column: SQLName?, key: Int64, _ detail: String
    ) -> StoreError {
        let column = column.map { ", column \($0.text)" } ?? ""
        return .corrupt(
            location, location: "table \(table.text)\(column), key \(key)", detail: detail)
    }
}
