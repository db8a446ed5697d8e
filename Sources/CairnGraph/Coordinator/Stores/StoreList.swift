import CairnModel
import CairnStore

/// The stores of a coordinator at one moment, and which of them takes which object.
///
/// A stored object is in the store of its ID. A new object goes to the store that it was assigned to by
/// hand, otherwise to the default store of its entity: the first one, in the order in which stores were
/// added, that takes new objects of that entity.
struct StoreList {
    let stores: [AttachedStore]
    let model: ManagedObjectModel

    /// Returns the store of an object of the change set.
    ///
    /// - Throws: `.unknownStore`; `.noStore` if no store's configuration has the entity;
    ///   `.store(.readOnly)`, `.entityNotTaken` if the store that it was assigned to, or every one whose
    ///   configuration has the entity, does not take it.
    func store(
        of id: ObjectID, assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> AttachedStore {
        guard id.isTemporary else { return try store(numbered: id.store) }
        if let number = assignments[id] { return try store(numbered: number, for: id.entity) }
        return try defaultStore(for: id.entity)
    }

    /// - Throws: `.unknownStore`.
    func store(numbered number: StoreNumber) throws(GraphError) -> AttachedStore {
        if let found = stores.first(where: { $0.number == number }) { return found }
        throw .unknownStore(number)
    }

    /// Returns a store that new objects of an entity are assigned to.
    ///
    /// - Throws: `.unknownStore`, `.entityNotTaken`, `.store(.readOnly)`.
    func store(
        numbered number: StoreNumber, for entity: EntityNumber
    ) throws(GraphError) -> AttachedStore {
        let assigned = try store(numbered: number)
        guard let entity = model.entity(numbered: entity) else { throw noStore(entity) }
        if let refusal = assigned.refusal(of: entity) { throw refusal }
        return assigned
    }

    /// Returns the stores that may hold a match of the plan.
    ///
    /// - Parameter numbers: the stores to choose from. `nil` stands for all.
    /// - Throws: `.unknownStore`; `.noStore`.
    func stores(
        holding plan: FetchPlan, among numbers: [StoreNumber]?
    ) throws(GraphError) -> [AttachedStore] {
        var chosen = stores
        if let numbers {
            chosen = []
            for number in numbers {
                let store = try store(numbered: number)
                // If a store is named twice, each of its matches is found once.
                if !chosen.contains(where: { $0 === store }) { chosen.append(store) }
            }
        }
        chosen = chosen.filter { $0.holds(plan.entityNumbers) }
        if chosen.isEmpty { throw .noStore(entity: plan.entity.name) }
        return chosen
    }

    private func defaultStore(for number: EntityNumber) throws(GraphError) -> AttachedStore {
        guard let entity = model.entity(numbered: number) else { throw noStore(number) }
        var refusals: [GraphError] = []
        for store in stores where store.entities.contains(number) {
            guard let refusal = store.refusal(of: entity) else { return store }
            refusals.append(refusal)
        }
        // A store that can be migrated says more than one that was meant to be read.
        let lacking = refusals.first { if case .entityNotTaken = $0 { true } else { false } }
        throw lacking ?? refusals.first ?? noStore(number)
    }

    private func noStore(_ entity: EntityNumber) -> GraphError {
        .noStore(entity: model.entity(numbered: entity)?.name ?? "\(entity.rawValue)")
    }
}

extension GraphError {
    /// Says of a store that is not in a coordinator what this process knows of it.
    static func unknownStore(_ number: StoreNumber) -> GraphError {
        guard let entry = StoreDirectory.shared.entry(for: number) else {
            return .unknownStore("number \(number.rawValue)")
        }
        return .unknownStore(entry.location.map(\.description) ?? entry.identifier)
    }
}
