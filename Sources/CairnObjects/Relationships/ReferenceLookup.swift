import CairnEngineKit
import CairnModel
import CairnRows
import CairnStack
import CairnStore
import Foundation

/// Finds the objects to which a reference leads from the objects of a kind.
package final class ReferenceLookup {
    private let reference: Attribute
    package let target: ReferenceTarget
    private let keySlot: RowSlot?
    // Exclusivity is unchecked as in ``ManagedObject``: a check would cost as much as the rest of a read.

    /// The objects that were found, by their keys' hashes. Each is checked when it is used, because it may have got
    /// another key or another context may have deleted it.
    @exclusivity(unchecked) private var known: [KeyHash: ObjectID] = [:]
    /// The objects to which prefetched references lead.
    @exclusivity(unchecked) private var targets: [ObjectID?] = []
    /// For the key of each owner whose reference was prefetched, a word that stands for an index of ``targets``. It may
    /// lead to a wrong object, which is checked when it is used.
    @exclusivity(unchecked) private var targetWords = PagedTable(space: 0)

    /// The table needs the least memory for words that are multiples of 8. The word 0 stands for nothing.
    private static func word(of index: Int) -> UInt { UInt(index + 1) << 3 }
    private static func index(of word: UInt) -> Int { Int(word >> 3) - 1 }

    /// If more objects are remembered than this, and than twice the objects of the context, all are forgotten.
    private static let mostKnown = 1_000

    init?(_ reference: Attribute) {
        guard let target = reference.reference else { return nil }
        self.reference = reference
        self.target = target
        keySlot = target.key.flatMap { PropertySlot(of: $0).rowSlot }
    }

    /// Returns the object with a key, and reads its values. Returns `nil` if no object has the key.
    ///
    /// - Throws: `.noStore` if no store has such objects; `.store`.
    func object(
        _ key: Value, in context: ManagedObjectContext
    ) throws(GraphError) -> ManagedObject? {
        if key.isNull { return nil }
        if let id = known[KeyHash(key)], let object = context.registeredOrFault(id),
            try isFound(object, by: key)
        {
            return object
        }
        return try load([key], in: context).first
    }

    /// Returns the object to which a prefetched reference leads, if nothing was changed in it or in the owner. Compares
    /// bytes of their rows, makes no values of them, and counts no references. Otherwise, returns `nil`, and the
    /// caller takes the slow path.
    func prefetched(
        by owner: Int64, _ values: RowPointer, _ slot: RowLayout.Slot, in objects: IdentityMap
    ) -> Uncounted<ManagedObject>? {
        let word = targetWords[owner]
        guard word != 0, let keySlot, let target = targets[Self.index(of: word)],
            let entry = objects.entry(target)
        else { return nil }
        let isFound = entry.withObject { object in
            guard let found = object.values, !object.isDeleted else { return false }
            return found.hasSameBytes(object.kind.layout[keySlot], as: values, slot)
        }
        return isFound ? entry : nil
    }

    /// Returns the objects to which references lead, and remembers them for each owner, so that following its
    /// reference needs no hash.
    ///
    /// - Parameter owners: The owners of the references. The references of faults are left out.
    func load(
        from owners: [ManagedObject], _ binding: AttributeBinding, in context: ManagedObjectContext,
        from state: (any ObjectSource)?
    ) throws(GraphError) -> [ManagedObject] {
        if targets.count > max(Self.mostKnown, 2 * context.identityMap.count) {
            (targets, targetWords) = ([], PagedTable(space: 0))
        }
        var keys: [Value] = []
        var hashes: [KeyHash] = []
        var words: [KeyHash: UInt] = [:]
        defer { targets += hashes.map { known[$0] } }
        var kind: ObjectKind?
        var slot: RowLayout.Slot?
        for owner in owners {
            if owner.kind !== kind {
                kind = owner.kind
                if case .row(let rowSlot) = binding.storage {
                    slot = owner.kind.layout[rowSlot]
                    owner.kind.notePrefetched(self, at: rowSlot)
                }
            }
            let hash: KeyHash
            if let slot, let values = owner.values, let hashOfRow = KeyHash(values, slot) {
                hash = hashOfRow
            } else {
                if owner.isFault { continue }
                let key = try owner.value(of: binding)
                if key.isNull { continue }
                hash = KeyHash(key)
            }
            var word = words[hash] ?? 0
            if word == 0 {
                word = Self.word(of: targets.count + keys.count)
                words[hash] = word
                hashes.append(hash)
                keys.append(try owner.value(of: binding))
            }
            _ = targetWords.set(word, for: owner.key)
        }
        return try load(keys, in: context, from: state)
    }

    /// Returns the objects to which keys lead. The objects of 500 keys are fetched together, or all objects of the
    /// entity if the keys lead to at least half of them.
    ///
    /// Unsaved objects are found, and objects that the next save deletes are not. The current event does not
    /// end.
    ///
    /// - Parameter state: The state of the stores to read. `nil` means the state that the context reads.
    /// - Throws: `.noStore`, `.store`.
    private func load(
        _ keys: [Value], in context: ManagedObjectContext, from state: (any ObjectSource)? = nil
    ) throws(GraphError) -> [ManagedObject] {
        context.settle()
        if known.count > max(Self.mostKnown, 2 * context.identityMap.count) { known = [:] }
        known.reserveCapacity(known.count + keys.count)
        let wanted = Set(keys.map(KeyHash.init))
        for key in wanted { known[key] = nil }
        guard let attribute = target.key else {
            return try noted(try objects(withURIs: keys, in: context), wanted)
        }
        let source = state ?? context.source
        if try areMost(keys.count, in: source) {
            return try noted(
                try fetch(FetchPlan(entity: target.entity), in: context, from: source), wanted)
        }
        var found: [ManagedObject] = []
        for start in stride(from: 0, to: keys.count, by: ReferenceTarget.keysPerFetch) {
            let part = keys[start..<min(start + ReferenceTarget.keysPerFetch, keys.count)]
            let plan = target.plan(for: part, of: attribute)
            found += try noted(try fetch(plan, in: context, from: source), wanted)
        }
        return found
    }

    /// Returns whether these are at least half of the entity's objects, so that fetching all takes less time.
    private func areMost(_ count: Int, in source: any ObjectSource) throws(GraphError) -> Bool {
        guard count > ReferenceTarget.keysPerFetch else { return false }
        let plan = FetchPlan(entity: target.entity, limit: 2 * count + 1, output: .ids)
        return try source.fetch(plan, in: nil).count <= 2 * count
    }

    /// Notes those objects that have a wanted key, and returns them.
    private func noted(
        _ objects: [ManagedObject], _ wanted: Set<KeyHash>
    ) throws(GraphError) -> [ManagedObject] {
        var found: [ManagedObject] = []
        for object in objects where try isFound(object) {
            // If several stores have an object with this key, the first store decides.
            let hash = try hash(of: object)
            if wanted.contains(hash), known[hash] == nil {
                known[hash] = object.objectID
                found.append(object)
            }
        }
        return found
    }

    private func fetch(
        _ plan: FetchPlan, in context: ManagedObjectContext, from source: any ObjectSource
    ) throws(GraphError) -> [ManagedObject] {
        let pending = PendingChanges(plan, in: context)
        let rows = try source.fetch(pending?.storedPlan ?? plan, in: nil)
        context.remoteChanges.readNewIDs()
        let storage =
            try pending?.storage(over: rows, in: nil) ?? FetchStorage(rows, context: context)
        return storage.objectsToKeep()
    }

    private func objects(
        withURIs keys: [Value], in context: ManagedObjectContext
    ) throws(GraphError) -> [ManagedObject] {
        let objects = keys.compactMap { key -> ManagedObject? in
            guard let coordinator = context.source.coordinator,
                let id = target.objectID(key, in: coordinator)
            else { return nil }
            return context.registeredOrFault(id)
        }
        try context.faults.fire(objects)
        return objects
    }

    /// Returns whether the object exists. Fires a fault.
    private func isFound(_ object: ManagedObject) throws(GraphError) -> Bool {
        if object.isFault {
            // The store of the object may have been removed. The fault remains, and the key is looked up again.
            try? object.owner?.faults.fire([object])
        }
        return !object.isFault && !object.isDeleted && object.owner != nil
    }

    private func isFound(_ object: ManagedObject, by key: Value) throws(GraphError) -> Bool {
        guard try isFound(object) else { return false }
        return try self.key(of: object) == key
    }

    /// Returns the key by which the reference leads to an object.
    private func key(of object: ManagedObject) throws(GraphError) -> Value {
        guard let keySlot else { return .uri(object.objectID.uriRepresentation()) }
        return try object.value(at: keySlot)
    }

    /// Returns the hash of the key by which the reference leads to an object.
    private func hash(of object: ManagedObject) throws(GraphError) -> KeyHash {
        if let keySlot, let values = object.values,
            let hash = KeyHash(values, object.kind.layout[keySlot])
        {
            return hash
        }
        return KeyHash(try key(of: object))
    }

    /// Returns the value that makes the reference of `owner` lead to an object. For a reference by URI, a new
    /// object gets its permanent ID.
    ///
    /// - Throws: `.wrongType` if the object has another entity or no key; `.wrongContext`, `.objectGone`,
    ///   `.store`; for a reference by URI, the errors of ``ManagedObjectContext/obtainPermanentIDs(for:)``.
    func key(leadingTo object: ManagedObject, from owner: ManagedObject) throws(GraphError) -> Value
    {
        try owner.relations.check(
            object, in: target.entity.hierarchyNumbers, target.entity, for: reference.name,
            of: owner)
        if keySlot == nil, object.objectID.isTemporary {
            try object.presentContext.obtainPermanentIDs(for: [object])
        }
        let key = try key(of: object)
        if key.isNull {
            throw owner.wrongType(
                reference.name,
                expected: "an object of \(target.entity.name) with a value of"
                    + " “\(target.key?.name ?? "")”, by which the reference finds it",
                found: "an object without this value")
        }
        known[KeyHash(key)] = object.objectID
        return key
    }

    /// Returns the key by which the reference leads to the object with an ID. Returns `nil` if it leads to no such
    /// object.
    fileprivate func key(
        leadingTo id: ObjectID, in context: ManagedObjectContext
    ) throws(GraphError) -> Value? {
        guard target.entity.hierarchyNumbers.contains(id.entity),
            let object = context.registeredOrFault(id), try isFound(object)
        else { return nil }
        let key = try key(of: object)
        return key.isNull ? nil : key
    }
}

extension ManagedObject {
    /// Returns the object to which a reference leads.
    final func referencedObject(
        _ binding: AttributeBinding, _ lookup: ReferenceLookup
    ) throws(GraphError) -> ManagedObject? {
        let key = try value(of: binding)
        return key.isNull ? nil : try lookup.object(key, in: try presentContext)
    }

    /// Sets a reference to the key of an object.
    final func setReferencedObject(
        _ object: ManagedObject?, _ binding: AttributeBinding, _ lookup: ReferenceLookup
    ) throws(GraphError) {
        let key = try object.map { object throws(GraphError) in
            try lookup.key(leadingTo: object, from: self)
        }
        try set(key ?? .null, of: binding)
    }

    /// Returns whether a reference has a key that leads to no object. Such a reference is read as `nil`.
    ///
    /// Looks the key up, which takes a fetch if the object is not registered in the context.
    ///
    /// - Throws: `.unknownProperty`; `.wrongType` if the property is no reference; `.noStore` if no store has
    ///   objects of the reference's entity; `.objectGone`, `.store`, `.wrongThread`.
    public final func isMissing(_ name: String) throws(GraphError) -> Bool {
        try checkTurn(name)
        if let successor { return try successor.isMissing(name) }
        guard case .attribute(let binding) = try kind.binding(name), let lookup = binding.reference
        else {
            throw wrongType(name, expected: "a reference", found: "another kind of property")
        }
        if try value(of: binding).isNull { return false }
        return try referencedObject(binding, lookup) == nil
    }
}

extension ManagedObjectContext {
    /// Returns the reference's look-up for objects of the entity that declares it.
    func lookup(of reference: Attribute) throws(GraphError) -> ReferenceLookup? {
        let kind = kinds.kind(numbered: reference.entity.number)
        guard case .attribute(let binding)? = try kind?.binding(reference.name) else { return nil }
        return binding.reference
    }

    /// Returns a plan in which references are compared by the keys of objects, instead of with the objects.
    func comparingKeys(_ plan: FetchPlan) throws(GraphError) -> FetchPlan {
        guard managedObjectModel.hasReferences, let predicate = plan.predicate else { return plan }
        var plan = plan
        plan.predicate = try predicate.replacingComparisons { comparison throws(GraphError) in
            try self.comparingKeys(comparison) ?? .comparison(comparison)
        }
        return plan
    }

    /// Returns `nil` if the comparison does not ask whether a reference leads to certain objects.
    private func comparingKeys(
        _ comparison: BoundComparison
    ) throws(GraphError) -> BoundPredicate? {
        guard case .path(var path) = comparison.left,
            case .referenced(let reference, BoundPath(leaf: .object)) = path.leaf,
            path.collectionOperator == nil, let lookup = try lookup(of: reference)
        else { return nil }
        var items = [comparison.right]
        if case .list(let list) = comparison.right { items = list }
        var keys: [BoundExpression] = []
        for item in items {
            guard case .constant(let value) = item else { return nil }
            guard case .objectID(let id) = value else {
                keys.append(item)
                continue
            }
            if let key = try lookup.key(leadingTo: currentID(id), in: self) {
                keys.append(.constant(key))
            }
        }
        path.leaf = .attribute(reference)
        let isAmong = BoundPredicate.comparison(
            BoundComparison(.path(path), .in, .list(keys), modifier: comparison.modifier))
        switch comparison.operator {
        case .equal, .in: return isAmong
        case .notEqual where comparison.modifier == .direct: return .not(isAmong)
        default: return nil
        }
    }
}
