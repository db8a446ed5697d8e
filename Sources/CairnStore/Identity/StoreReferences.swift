import CairnModel

/// The references of a store's objects, in one table for each root entity whose objects are
/// identified by text or UUIDs.
public struct StoreReferences: Sendable {
    private let tables: [EntityNumber: ReferenceTable]
    /// The root entities whose new objects get their references only when they are saved.
    private let boundLater: Set<EntityNumber>

    init(_ tables: [EntityNumber: ReferenceTable], boundLater: Set<EntityNumber>) {
        self.tables = tables
        self.boundLater = boundLater
    }

    /// Returns the table of a root entity, or `nil` if its objects are identified by numbers.
    public func table(of root: EntityNumber) -> ReferenceTable? { tables[root] }

    /// Returns the value that identifies an object of the store, or `nil` if its key has no
    /// reference yet.
    public func referenceObject(for id: ObjectID) -> ReferenceObject? {
        guard let table = tables[id.rootEntity] else { return .number(id.key) }
        return table.reference(of: id.key)
    }

    /// Reserves numbers for new objects, as described in ``PersistentStore/reserveKeys(_:)``, and
    /// creates references for them. References that become known only later are not created.
    ///
    /// This method does not need the store's lock, because the references it creates are unique.
    /// Entities whose objects are identified by numbers are left out of the result.
    ///
    /// - Throws: `.keysExhausted`.
    public func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        var keys: [EntityNumber: Range<Int64>] = [:]
        for (root, count) in counts where count > 0 {
            guard let table = tables[root] else { continue }
            if boundLater.contains(root) {
                keys[root] = try table.reserve(count)
                continue
            }
            let references = (0..<count).map { _ in table.kind.makeReference() }
            keys[root] = try table.reserve(references)
        }
        return keys
    }
}
