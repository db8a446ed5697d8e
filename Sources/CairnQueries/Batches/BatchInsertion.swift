import CairnModel
import CairnObjects
import CairnStack

/// The objects that a batch inserts. They are made some thousand at a time.
///
/// It is unchecked because it belongs to one context: only turns of that context use it, one after the other.
struct BatchInsertion: @unchecked Sendable {
    private let entity: Entity
    private let collector: BatchCollector
    let content: BatchContent

    /// - Throws: `.notConnected`.
    init(
        of entity: Entity, in context: ManagedObjectContext, _ resultType: BatchResultType
    ) throws(GraphError) {
        guard let stack = context.persistentStoreCoordinator else { throw .notConnected }
        self.entity = entity
        collector = BatchCollector(stack, entity)
        content = BatchContent(stack.layouts, keepsIDs: resultType == .objectIDs)
    }

    /// Makes ``BatchCollector/objectCount`` objects, or fewer if there are no more.
    ///
    /// - Parameter fill: Sets the values of an object. Returns `false` if there are no more.
    /// - Returns: Whether there may be more.
    func addSome(
        _ classes: ObjectClasses, _ fill: (ManagedObject) throws -> Bool
    ) throws -> Bool {
        var mayHaveMore = true
        try collector.collect(into: content, classes, updating: nil) { context in
            for _ in 0..<BatchCollector.objectCount where mayHaveMore {
                let object = try context.insertNewObject(forEntityName: entity.name)
                mayHaveMore = try fill(object)
                if !mayHaveMore { try context.delete(object) }
            }
        }
        return mayHaveMore
    }
}
