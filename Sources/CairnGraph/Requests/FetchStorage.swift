import CairnModel
import CairnStore

/// The rows of a fetch's answer, and the objects made of them.
final class FetchStorage {
    private let context: ManagedObjectContext
    private let batch: RowBatch
    /// Where the answer is not the batch as it is: a place in the batch, or an object.
    private let entries: ContiguousArray<Entry>?
    /// Exclusivity is unchecked: one turn at a time uses the answer, and making an object does not
    /// come back here.
    @exclusivity(unchecked) private var objects: ContiguousArray<ManagedObject?> = []

    /// A match: one that the source found, or an object with unsaved changes.
    enum Entry {
        case stored(Int)
        case pending(ManagedObject)
    }

    let count: Int
    /// Objects that were prefetched, which stay as long as the answer does.
    var prefetched: [ManagedObject] = []
    /// Reads the state that the answer is from. `nil` if it is not kept.
    var state: (any ObjectSource)?
    /// How many objects get their values at a time. 0 if each has them already.
    var batchSize = 0
    /// The objects of the batch that was touched last, and which one that is.
    private var current: (number: Int, objects: [ManagedObject]) = (-1, [])

    init(_ batch: RowBatch, entries: ContiguousArray<Entry>? = nil, context: ManagedObjectContext) {
        self.context = context
        self.batch = batch
        self.entries = entries
        count = entries?.count ?? batch.count
    }

    func id(at position: Int) -> ObjectID {
        switch entries?[position] {
        case nil: batch.id(at: position)
        case .stored(let index)?: batch.id(at: index)
        case .pending(let object)?: object.objectID
        }
    }

    /// The row that the source answered with. `nil` if it answered with IDs, and for an object with
    /// unsaved changes.
    func row(at position: Int) -> Row? {
        switch entries?[position] {
        case nil where !batch.holdsIDsOnly: batch[row: position]
        case .stored(let index)? where !batch.holdsIDsOnly: batch[row: index]
        default: nil
        }
    }

    func object(at position: Int) -> ManagedObject {
        guard batchSize == 0 else { return objectOfBatch(at: position) }
        if objects.isEmpty { objects = ContiguousArray(repeating: nil, count: count) }
        if let object = objects[position] { return object }
        let object = entries == nil ? stored(position) : made(position)
        objects[position] = object
        return object
    }

    /// Calls the body with each object, and keeps none.
    func forEach(_ body: (ManagedObject) -> Void) {
        guard batchSize == 0, entries == nil, objects.isEmpty, !batch.holdsIDsOnly else {
            for position in 0..<count { body(object(at: position)) }
            return
        }
        context.materializeAll(batch, body)
    }

    /// Returns what reads the answer's state, which is not kept any more.
    func takeState() -> (any ObjectSource)? {
        defer { state = nil }
        return state
    }

    /// Returns all objects, made at once and kept unless the request has a batch size.
    func objectsToKeep() -> [ManagedObject] {
        if batchSize == 0, entries == nil, objects.isEmpty, !batch.holdsIDsOnly {
            objects.reserveCapacity(count)
            var made: [ManagedObject] = []
            made.reserveCapacity(count)
            context.materializeAll(batch) { made.append($0) }
            objects = ContiguousArray(made.lazy.map(Optional.some))
            return made
        }
        return (0..<count).map(object(at:))
    }

    /// Objects that were touched once are not kept: another batch takes the place of theirs.
    private func objectOfBatch(at position: Int) -> ManagedObject {
        let number = position / batchSize
        if current.number != number {
            let first = number * batchSize
            let objects = (first..<min(first + batchSize, count)).map(made)
            do throws(GraphError) {
                try context.faults.fire(objects)
            } catch {
                // They stay faults, and say so again when a value is asked for.
                context.report(error, of: objects[position - first])
            }
            current = (number, objects)
        }
        return current.objects[position - number * batchSize]
    }

    private func made(_ position: Int) -> ManagedObject {
        switch entries?[position] {
        case nil: stored(position)
        case .stored(let index)?: stored(index)
        case .pending(let object)?: object
        }
    }

    private func stored(_ index: Int) -> ManagedObject {
        let object =
            batch.holdsIDsOnly
            ? context.registeredOrFault(batch.id(at: index))
            : context.materialize(batch[row: index])
        guard let object else { context.failUnknown(batch.id(at: index)) }
        return object
    }
}
