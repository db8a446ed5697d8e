import CairnModel
import CairnObjects
import CairnRows
import CairnStack
import CairnStore
import Foundation

/// Reading many objects with the memory of a few.
///
/// Both forms see what the stores contain, or the state to which the context is pinned. Objects that the context has not
/// saved yet do not occur, and registered objects keep their unsaved values. A child context has neither form, because
/// it reads the unsaved objects of its parent.
extension ManagedObjectContext {
    /// Fetches a page of the objects that a request finds: the first ones, or those after the cursor of another page.
    ///
    /// Each page begins after the last object of the page before it, so an object is neither repeated nor left out if
    /// others are inserted or deleted meanwhile. One that gets another value to sort by may move. If an index has the
    /// first key to sort by, a page costs as much at the end as at the beginning.
    ///
    /// ```swift
    /// var request = FetchRequest<Book>()
    /// request.sortDescriptors = [FetchSortDescriptor("title")]
    /// let first = try context.page(of: request, size: 20)
    /// let second = try context.page(of: request, size: 20, after: first.next)
    /// ```
    ///
    /// - Parameters:
    ///   - request: Its limit and offset are ignored. Without sort descriptors, objects are in the order of their keys.
    ///   - size: The greatest number of objects, at least 1.
    ///   - cursor: The end of the page before. `nil` means the first page.
    /// - Returns: The objects, and where the page ended, or `nil` if there were no more objects.
    /// - Throws: `.predicate(.unsupported)` for a cursor of a request with other sort descriptors, or of a store that
    ///   the coordinator does not have, for a request that sorts by a relationship or by `.standard`, and in a child
    ///   context; `.notConnected`; otherwise the same errors as `fetch`.
    public func page<Object: ManagedObject>(
        of request: FetchRequest<Object>, size: Int, after cursor: PageCursor? = nil
    ) throws(GraphError) -> (objects: [Object], next: PageCursor?) {
        try checkTurn("page(of:size:after:)")
        let stack = try ownCoordinator(for: "a page of a fetch")
        let size = min(max(1, size), .max - 1)
        var request = request
        request.fetchOffset = 0
        // One more, to know whether there is another page.
        request.fetchLimit = size + 1
        let sorts = request.sortDescriptors
        let entity = try kinds.entity(named: request.entityName, as: Object.self)
        var plan = try request.plan(for: entity, in: self)
        try PageCursor.check(plan.sorts)
        if let cursor {
            let condition = try cursor.condition(for: sorts, of: entity, in: stack)
            plan.predicate = plan.predicate.map { .and([$0, condition]) } ?? condition
        }
        plan.output = .rows
        if sorts.isEmpty, stack.persistentStores.count > 1 {
            // Several stores are otherwise read one after the other.
            plan.sorts = [BoundSort(BoundPath(leaf: .object))]
        }
        let (found, state) = try source.fetchKeepingState(
            plan, in: request.affectedStores?.map(\.number))
        readNewIDs()
        let rows = Array(found.rows.prefix(size))
        let objects = rows.compactMap { materialize($0) as? Object }
        guard found.count > size, let last = rows.last?.id else { return (objects, nil) }

        var values: [DictionaryRow] = []
        if !sorts.isEmpty {
            var reading = FetchRequest<ManagedObject>(entity.name)
            reading.predicate = .comparison(
                PredicateComparison(.evaluatedObject, .equal, .constant(.objectID(last))))
            reading.propertiesToFetch = sorts.map { .keyPath($0.keyPath) }
            values = try state.dictionaries(
                reading.dictionaryPlan(for: entity, in: self), in: [last.store])
        }
        return (objects, PageCursor(after: last, sortedBy: sorts, values.first?.dictionary ?? [:]))
    }

    /// Calls a closure with each object that a request finds, in order. The rows of one batch are in memory at a time,
    /// and objects that nobody keeps or changes are released. All of them are read from one state of the stores, even
    /// if the closure saves changes.
    ///
    /// ```swift
    /// try context.enumerate(FetchRequest<Book>()) { book in words += book.summary.split(separator: " ").count }
    /// ```
    ///
    /// - Parameters:
    ///   - request: If no index has its order, the engine sorts all rows first, and may need memory for them. Its
    ///   `timeout` includes what `body` does.
    ///   - batchSize: The number of rows to read at a time, from 1 to 100,000.
    ///   - body: Must neither add nor remove stores.
    /// - Throws: The same errors as `fetch`; `.notConnected`; `.predicate(.unsupported)` in a child context; what `body`
    ///   throws, which ends the enumeration.
    public func enumerate<Object: ManagedObject>(
        _ request: FetchRequest<Object>, batchSize: Int = 1_000, _ body: (Object) throws -> Void
    ) throws {
        try checkTurn("enumerate(_:batchSize:_:)")
        _ = try ownCoordinator(for: "an enumeration")
        let entity = try kinds.entity(named: request.entityName, as: Object.self)
        var plan = try request.plan(for: entity, in: self)
        plan.output = .rows
        // A fetch without a limit may be read as a whole, because that is faster.
        plan.limit = plan.limit ?? .max
        let stores = request.affectedStores?.map(\.number)
        try source.visit(plan, in: stores, batchesOf: min(max(1, batchSize), 100_000)) { batch in
            readNewIDs()
            for row in batch.rows {
                guard let object = materialize(row) as? Object, !object.isDeleted else { continue }
                try body(object)
            }
        }
    }

    /// Calls a closure with each object of a class that matches, in order, with the memory of one batch.
    ///
    /// - Throws: The same errors as ``enumerate(_:batchSize:_:)`` and ``request(for:where:sortedBy:limit:offset:)``.
    public func enumerate<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy sorts: [SortDescriptor<Object>] = [], batchSize: Int = 1_000,
        _ body: (Object) throws -> Void
    ) throws {
        try enumerate(
            request(for: objectClass, where: predicate, sortedBy: sorts), batchSize: batchSize,
            body)
    }

    /// - Throws: `.notConnected`; `.predicate(.unsupported)` in a child context.
    private func ownCoordinator(
        for feature: String
    ) throws(GraphError) -> PersistentStoreCoordinator {
        guard parent == nil else {
            throw .predicate(
                .unsupported(
                    expression: "\(feature) in a child context",
                    advice: "Ask a context of the coordinator."))
        }
        guard let persistentStoreCoordinator else { throw .notConnected }
        return persistentStoreCoordinator
    }
}
