import CairnModel

/// The stores that the program assigned to new objects of a context.
struct ObjectAssignments {
    private var stores: [ObjectIdentifier: StoreNumber] = [:]

    var isEmpty: Bool { stores.isEmpty }

    /// The store that an object is assigned to, or `nil` if the save chooses the store.
    subscript(object: ManagedObject) -> StoreNumber? {
        get { stores[ObjectIdentifier(object)] }
        set { stores[ObjectIdentifier(object)] = newValue }
    }

    /// Returns the stores of those objects that are assigned to one, by the objects' current IDs.
    func byID(of objects: some Sequence<ManagedObject>) -> [ObjectID: StoreNumber] {
        guard !isEmpty else { return [:] }
        let assigned = objects.compactMap { object in self[object].map { (object.objectID, $0) } }
        return Dictionary(assigned, uniquingKeysWith: { first, _ in first })
    }

    mutating func removeAll() { stores = [:] }
}
