import CairnModel

/// The one object of each ID in a context.
///
/// Does not hold the objects: they take themselves out when they go (a `weak` reference would cost
/// a side table per object). A lookup finds the table of the store and root entity, then reads a
/// page by key.
final class IdentityMap {
    // Exclusivity is unchecked: a check costs as much as a lookup. One turn at a time uses the map.
    @exclusivity(unchecked) private var tables: ContiguousArray<KeyTable> = []
    @exclusivity(unchecked) private var last = 0

    /// How many objects there are.
    private(set) var count = 0

    /// Returns the object of an ID; nil where nobody holds one.
    subscript(id: ObjectID) -> ManagedObject? {
        guard let table = table(of: id, makes: false), let found = table[id.key] else { return nil }
        return Unmanaged<ManagedObject>.fromOpaque(found).takeUnretainedValue()
    }

    /// Adds an object under an ID that has none.
    func insert(_ object: ManagedObject, for id: ObjectID) {
        guard let table = table(of: id, makes: true) else { return }
        if table.set(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), for: id.key) {
            count += 1
        }
    }

    /// Takes the object of an ID out.
    func remove(_ id: ObjectID) {
        if table(of: id, makes: false)?.set(nil, for: id.key) == true { count -= 1 }
    }

    /// All objects, by store, root entity and key.
    var objects: [ManagedObject] {
        tables.flatMap { table in
            table.entries.map { Unmanaged<ManagedObject>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    /// Takes all objects out.
    func removeAll() {
        tables = []
        last = 0
        count = 0
    }

    @inline(__always)
    private func table(of id: ObjectID, makes: Bool) -> KeyTable? {
        let space = UInt64(id.store.rawValue) << 16 | UInt64(id.rootEntity.rawValue)
        if last < tables.count, tables[last].space == space { return tables[last] }
        return findTable(space, makes: makes)
    }

    /// A context sees few stores and root entities, and asks for runs of the same one.
    private func findTable(_ space: UInt64, makes: Bool) -> KeyTable? {
        if let index = tables.firstIndex(where: { $0.space == space }) {
            last = index
            return tables[index]
        }
        guard makes else { return nil }
        last = tables.count
        tables.append(KeyTable(space: space))
        return tables[last]
    }
}
