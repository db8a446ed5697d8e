import CairnModel
import CairnStore

/// The stores of a coordinator at one moment. Determines the store of each object.
///
/// The store of a stored object is part of its ID. A new object goes to the store that it was explicitly
/// assigned to. Otherwise, it goes to the default store of its entity: the first store, in the order of the
/// coordinator's stores, that accepts new objects of that entity.
package struct StoreList {
    let stores: [AttachedStore]
    let model: ManagedObjectModel
    /// Reports if only the order of the stores decides where new objects are saved.
    let monitor: OperationMonitor

    /// Returns the store of an object of a change set.
    ///
    /// - Throws: `.unknownStore`; `.noStore` if no store's configuration includes the entity;
    ///   `.store(.readOnly)` or `.entityNotTaken` if the assigned store does not accept the object, or,
    ///   without an assignment, none of the stores whose configuration includes the entity does.
    package func store(
        of id: ObjectID, assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> AttachedStore {
        if let number = assignments[id] { return try store(numbered: number, for: id.entity) }
        guard id.isTemporary else { return try store(numbered: id.store) }
        return try defaultStore(for: id.entity)
    }

    /// - Throws: `.unknownStore`.
    func store(numbered number: StoreNumber) throws(GraphError) -> AttachedStore {
        if let found = stores.first(where: { $0.number == number }) { return found }
        throw .unknownStore(number)
    }

    /// Returns the store that new objects of an entity are assigned to.
    ///
    /// - Throws: `.unknownStore`, `.entityNotTaken`, `.store(.readOnly)`.
    package func store(
        numbered number: StoreNumber, for entity: EntityNumber
    ) throws(GraphError) -> AttachedStore {
        let assigned = try store(numbered: number)
        guard let entity = model.entity(numbered: entity) else { throw noStore(entity) }
        if let refusal = assigned.refusal(of: entity) { throw refusal }
        return assigned
    }

    /// Returns the stores that may contain matches of a plan.
    ///
    /// - Parameter numbers: The stores to choose from. `nil` means all stores.
    /// - Throws: `.unknownStore`; `.noStore`.
    func stores(
        holding plan: FetchPlan, among numbers: [StoreNumber]?
    ) throws(GraphError) -> [AttachedStore] {
        var chosen = stores
        if let numbers {
            chosen = []
            for number in numbers {
                let store = try store(numbered: number)
                // A store that is named twice is searched only once.
                if !chosen.contains(where: { $0 === store }) { chosen.append(store) }
            }
        }
        chosen = chosen.filter { $0.holds(plan.entityNumbers) }
        if chosen.isEmpty { throw .noStore(entity: plan.entity.name, hasStores: !stores.isEmpty) }
        return chosen
    }

    private func defaultStore(for number: EntityNumber) throws(GraphError) -> AttachedStore {
        guard let entity = model.entity(numbered: number) else { throw noStore(number) }
        var refusals: [GraphError] = []
        var accepting: [AttachedStore] = []
        for store in stores where store.entities.contains(number) {
            if let refusal = store.refusal(of: entity) {
                refusals.append(refusal)
            } else {
                accepting.append(store)
            }
        }
        if accepting.count > 1 {
            monitor.noteOrderDecided(onNew: entity.name, among: accepting.map(\.location))
        }
        if let first = accepting.first { return first }
        // Prefer the error that a migration can resolve to the error of a store that was opened as
        // read-only.
        let lacking = refusals.first { if case .entityNotTaken = $0 { true } else { false } }
        throw lacking ?? refusals.first ?? noStore(number)
    }

    private func noStore(_ entity: EntityNumber) -> GraphError {
        .noStore(
            entity: model.entity(numbered: entity)?.name ?? "\(entity.rawValue)",
            hasStores: !stores.isEmpty)
    }
}

extension GraphError {
    /// Returns the error for a store that is not in a coordinator, with what this process knows of the
    /// store.
    static func unknownStore(_ number: StoreNumber) -> GraphError {
        guard let entry = StoreDirectory.shared.entry(for: number) else {
            return .unknownStore("number \(number.rawValue)")
        }
        return .unknownStore(entry.location.map(\.description) ?? entry.identifier)
    }
}

/// The position of one store in the order of a coordinator's stores. It is reserved before the store is opened,
/// so that the time that opening takes has no influence on the order.
package final class StorePosition: Sendable {
    /// The description that the store is opened for. `nil` if the program adds the store without one.
    let description: PersistentStoreDescription?

    init(for description: PersistentStoreDescription? = nil) {
        self.description = description
    }
}
