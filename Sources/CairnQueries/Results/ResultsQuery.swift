import CairnEngineKit
import CairnModel
import CairnObjects
import CairnStack
import CairnStore

/// A results controller's request with all names resolved. It determines whether an object belongs to the
/// results, and at which position.
struct ResultsQuery {
    private let plan: FetchPlan
    private let filter: ObjectFilter<ContextObjects>?
    private let sorter: ObjectSorter<ContextObjects>
    private let sectionNameKeyPath: String?
    /// The entities whose objects influence the results without being fetched themselves.
    private let relatedEntities: [Range<EntityNumber>]
    private let stores: [StoreNumber]?
    /// Whether the request's predicate contains unsaved objects, so that a save changes the IDs in the
    /// query.
    let hasTemporaryIDs: Bool

    /// - Throws: `.resultsWithoutOrder`, and the errors of the request's fetch.
    init<Result>(
        _ request: FetchRequest<Result>, sectionNameKeyPath: String?,
        in context: ManagedObjectContext
    ) throws(GraphError) {
        let entity = try context.kinds.entity(named: request.entityName, as: Result.self)
        guard !request.sortDescriptors.isEmpty else {
            throw .resultsWithoutOrder(entity: entity.name)
        }
        plan = try request.plan(for: entity, in: context)
        hasTemporaryIDs = request.predicate?.hasTemporaryIDs ?? false
        self.sectionNameKeyPath = sectionNameKeyPath
        stores = request.affectedStores?.map(\.number)
        let source = ContextObjects(context: context)
        sorter = ObjectSorter(plan.sorts, source: source)
        do {
            filter = try plan.predicate.map { predicate throws(FetchPredicateError) in
                try ObjectFilter(predicate, source: source)
            }
            var paths = plan.sorts.map(\.path) + (plan.predicate?.paths ?? [])
            if let sectionNameKeyPath {
                paths += try Self.sectionPath(sectionNameKeyPath, of: entity)
            }
            relatedEntities = paths.flatMap(\.relationships).map(\.destination.hierarchyNumbers)
        } catch {
            throw .predicate(error)
        }
    }

    /// Resolves a section's key path as far as predicates can. The path may end in a transient attribute,
    /// whose value the object computes.
    private static func sectionPath(
        _ keyPath: String, of entity: Entity
    ) throws(FetchPredicateError) -> [BoundPath] {
        do {
            return [try BoundPath(keyPath: keyPath, entity: entity)]
        } catch .transientKey(let name, let owner) {
            guard keyPath == name || keyPath.hasSuffix(".\(name)"),
                case .attribute? = entity.model.entity(named: owner)?.property(named: name)
            else { throw .transientKey(name, entity: owner) }
            let way = keyPath.dropLast(name.count + 1)
            return way.isEmpty ? [] : [try BoundPath(keyPath: String(way), entity: entity)]
        }
    }

    /// Whether the results are limited to a page, so that a change may move objects into the page from
    /// outside.
    var isPage: Bool { plan.limit != nil || plan.offset > 0 }

    /// Returns whether an object belongs to the fetched entity.
    func fetches(_ object: ManagedObject) -> Bool {
        plan.entityNumbers.contains(object.objectID.entity)
    }

    /// Returns whether any of the objects influences the membership or position of other objects in the
    /// results.
    func reads(_ objects: [ManagedObject]) -> Bool {
        !relatedEntities.isEmpty
            && objects.contains { object in
                relatedEntities.contains { $0.contains(object.objectID.entity) }
            }
    }

    /// Returns whether a merge contains objects of the fetched entity or of an entity that influences the
    /// results.
    func reads(_ merged: MergedChanges?) -> Bool {
        merged?.all.contains { id in
            plan.entityNumbers.contains(id.entity)
                || relatedEntities.contains { $0.contains(id.entity) }
        } ?? false
    }

    /// Returns an object with the name of its section.
    ///
    /// - Throws: The errors of reading the section's key path.
    func entry(of object: ManagedObject) throws(GraphError) -> ResultsLayout.Entry {
        guard let path = sectionNameKeyPath else {
            return ResultsLayout.Entry(object: object, sectionName: "")
        }
        let value = try object.value(forKeyPath: path)
        return ResultsLayout.Entry(
            object: object, sectionName: value.map(Self.sectionName(of:)) ?? "")
    }

    /// Returns the text of a section's value. Numbers and Booleans are written like the `NSNumber`
    /// objects of Core Data: a Boolean is 1 or 0, and a whole number has no fraction.
    private static func sectionName(of value: Any) -> String {
        switch value {
        case let value as Bool: value ? "1" : "0"
        case let value as Double where value == value.rounded() && abs(value) < 1e15:
            "\(Int64(value))"
        case let value as Float where value == value.rounded() && abs(value) < 1e6:
            "\(Int64(value))"
        default: "\(value)"
        }
    }

    /// Returns the entries without the touched objects, but with the matching changed objects, each
    /// inserted at its position in the order.
    func update(
        _ entries: [ResultsLayout.Entry], changed: [ManagedObject], touched: Set<ObjectIdentifier>
    ) throws(GraphError) -> [ResultsLayout.Entry] {
        let kept = entries.filter { !touched.contains(ObjectIdentifier($0.object)) }
        var arriving: [(key: SortKey, entry: ResultsLayout.Entry)] = []
        for object in changed where try matches(object) {
            arriving.append((try sorter.key(of: object), try entry(of: object)))
        }
        arriving.sort { $0.key < $1.key }
        var result: [ResultsLayout.Entry] = []
        result.reserveCapacity(kept.count + arriving.count)
        var next = 0
        for arrival in arriving {
            let index = try insertionIndex(of: arrival.key, in: kept, from: next)
            result += kept[next..<index]
            result.append(arrival.entry)
            next = index
        }
        return result + kept[next...]
    }

    private func matches(_ object: ManagedObject) throws(GraphError) -> Bool {
        guard let context = object.managedObjectContext, object.state.staysInContext,
            context.mayBeStored(object, in: stores)
        else { return false }
        return try filter?.matches(object) ?? true
    }

    /// Returns the index of the first entry at or after `start` that does not come before the key.
    private func insertionIndex(
        of key: SortKey, in entries: [ResultsLayout.Entry], from start: Int
    ) throws(GraphError) -> Int {
        var (low, high) = (start, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if try sorter.key(of: entries[middle].object) < key {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
