import CairnModel
import CairnStore

/// Decides which store takes which change: for a new object the one it was assigned to by hand, else
/// the first writable one whose configuration has its entity; for others the one they are in.
struct StoreAssignment {
    let stores: [AttachedStore]
    let model: ManagedObjectModel

    /// Returns the store of an object of the change set.
    ///
    /// - Throws: `.unknownStore`; `.noStore` where no store holds the entity, or not the one it was
    ///   assigned to; `.store(.readOnly)` where only read-only ones do.
    func store(
        of id: ObjectID, assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> AttachedStore {
        guard id.isTemporary else { return try store(numbered: id.store) }
        if let number = assignments[id] {
            let assigned = try store(numbered: number)
            guard assigned.entities.contains(id.entity) else { throw noStore(id.entity) }
            return assigned
        }
        return try firstStore(for: id.entity)
    }

    /// - Throws: `.unknownStore`.
    func store(numbered number: StoreNumber) throws(GraphError) -> AttachedStore {
        if let found = stores.first(where: { $0.number == number }) { return found }
        let identifier = StoreDirectory.shared.entry(for: number)?.identifier
        throw .unknownStore(identifier ?? "number \(number.rawValue)")
    }

    private func firstStore(for entity: EntityNumber) throws(GraphError) -> AttachedStore {
        let writable = stores.first { !$0.isReadOnly && $0.entities.contains(entity) }
        if let writable { return writable }
        guard let readOnly = stores.first(where: { $0.entities.contains(entity) }) else {
            throw noStore(entity)
        }
        throw .store(.readOnly(readOnly.location))
    }

    private func noStore(_ entity: EntityNumber) -> GraphError {
        .noStore(entity: model.entity(numbered: entity)?.name ?? "\(entity.rawValue)")
    }
}
