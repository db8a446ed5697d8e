import CairnModel
import CairnRows
import CairnStack

/// Maps each ID to the object that represents it in a context.
///
/// The map does not hold the objects. Objects remove themselves from the map when they are deallocated,
/// because `weak` references would cost a side table per object. A lookup finds the table of the store
/// and root entity, and then reads a page by key.
final class IdentityMap {
    // Exclusivity checking is disabled, because a check would cost as much as a lookup. Only one turn at
    // a time uses the map.
    @exclusivity(unchecked) private var tables: ContiguousArray<PagedTable> = []
    /// The table that was used last. It is not reference-counted, for the same reason; ``tables`` holds
    /// it.
    @exclusivity(unchecked) private var last: Uncounted<PagedTable>?
    @exclusivity(unchecked) private var lastSpace: UInt64 = 0

    /// Whether the map holds its objects.
    var retainsObjects: Bool {
        get { retained != nil }
        set {
            guard newValue != retainsObjects else { return }
            retained =
                newValue
                ? Dictionary(
                    objects.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { $1 }) : nil
        }
    }
    @exclusivity(unchecked) private var retained: [ObjectIdentifier: ManagedObject]?

    /// The number of objects.
    @exclusivity(unchecked) private(set) var count = 0

    /// Returns the object of an ID, or `nil` if no such object exists in memory.
    subscript(id: ObjectID) -> ManagedObject? {
        guard let table = table(of: id, makes: false),
            let found = Self.reference(table.withObject({ $0[id.key] }))
        else { return nil }
        return found.object
    }

    /// Returns the object of an ID from the table that was used last, without reference counting.
    /// Returns `nil` if that table does not contain the object, or if the object cannot be found with
    /// loads alone.
    @inline(__always) func recentEntry(_ id: ObjectID) -> Uncounted<ManagedObject>? {
        guard Self.space(of: id) == lastSpace, let last else { return nil }
        return Self.reference(last.withObject { $0.denseWord(of: id.key) })
    }

    /// Returns the object of an ID, without reference counting and without recording which table was
    /// used. Returns `nil` if no such object exists in memory.
    func entry(_ id: ObjectID) -> Uncounted<ManagedObject>? {
        if let entry = recentEntry(id) { return entry }
        let space = Self.space(of: id)
        return Self.reference(tables.first { $0.space == space }?[id.key] ?? 0)
    }

    /// Adds an object under an ID that has no object yet.
    func insert(_ object: ManagedObject, for id: ObjectID) {
        let word = UInt(bitPattern: Uncounted(object).pointer)
        let isNew = table(of: id, makes: true)?
            .withObject { $0.set(word, for: id.key) }
        if isNew == true { count += 1 }
        if retained != nil { retained?[ObjectIdentifier(object)] = object }
    }

    /// Removes the object of an ID. Has no effect if there is no such object.
    func remove(_ id: ObjectID) {
        if retained != nil, let object = self[id] { retained?[ObjectIdentifier(object)] = nil }
        let wasThere = table(of: id, makes: false)?
            .withObject { $0.set(0, for: id.key) }
        if wasThere == true { count -= 1 }
    }

    /// All objects, ordered by store, root entity and key.
    var objects: [ManagedObject] {
        tables.flatMap { table in
            table.words.compactMap { Self.reference($0)?.object }
        }
    }

    /// Removes all objects.
    func removeAll() {
        last = nil
        lastSpace = 0
        tables = []
        count = 0
        if retained != nil { retained = [:] }
    }

    /// Returns the object whose address a table's word contains. Returns `nil` if the word is 0.
    @inline(__always) private static func reference(_ word: UInt) -> Uncounted<ManagedObject>? {
        UnsafeRawPointer(bitPattern: word).map { Uncounted(pointer: $0) }
    }

    /// Checks the map's invariants. Used by tests.
    ///
    /// - Throws: A description of the invariant that does not hold.
    func checkInvariants() throws(BrokenInvariant) {
        for table in tables { try table.checkInvariants() }
        guard objects.count == count else {
            throw BrokenInvariant("\(objects.count) objects are there, and \(count) are counted")
        }
        for object in objects where self[object.objectID] !== object {
            throw BrokenInvariant("\(object.objectID) leads to another object")
        }
    }

    @inline(__always) private static func space(of id: ObjectID) -> UInt64 {
        UInt64(id.store.rawValue) << 16 | UInt64(id.rootEntity.rawValue)
    }

    @inline(__always)
    private func table(of id: ObjectID, makes: Bool) -> Uncounted<PagedTable>? {
        let space = Self.space(of: id)
        if space == lastSpace, let last { return last }
        return findTable(space, makes: makes)
    }

    /// Finds a table by its space. A linear search is enough: a context uses few stores and root
    /// entities, and consecutive lookups usually need the same table.
    @inline(never)
    private func findTable(_ space: UInt64, makes: Bool) -> Uncounted<PagedTable>? {
        if let known = tables.first(where: { $0.space == space }) {
            last = Uncounted(known)
            lastSpace = space
            return last
        }
        guard makes else { return nil }
        tables.append(PagedTable(space: space))
        return findTable(space, makes: false)
    }
}
