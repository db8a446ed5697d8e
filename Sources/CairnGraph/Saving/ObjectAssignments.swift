import CairnModel

/// The stores that new objects of a context were assigned to by hand.
struct ObjectAssignments {
    private var stores: [ObjectIdentifier: StoreNumber] = [:]

    var isEmpty: Bool { stores.isEmpty }

    /// The store of an object. `nil` if the save chooses it.
    subscript(object: ManagedObject) -> StoreNumber? {
        get { stores[ObjectIdentifier(object)] }
        set { stores[ObjectIdentifier(object)] = newValue }
    }

    /// The stores of those of the objects that have one, by the IDs that the objects have now.
    func byID(of objects: some Sequence<ManagedObject>) -> [ObjectID: StoreNumber] {
        guard !isEmpty else { return [:] }
        let assigned = objects.compactMap { object in self[object].map { (object.objectID, $0) } }
        return Dictionary(assigned, uniquingKeysWith: { first, _ in first })
    }

    mutating func removeAll() { stores = [:] }
}
