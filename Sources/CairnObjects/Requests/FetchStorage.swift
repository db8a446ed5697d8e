import CairnModel
import CairnRows
import CairnStack

/// The rows that a fetch returned, and the objects created from them.
final class FetchStorage {
    private let context: ManagedObjectContext
    private let batch: RowBatch
    /// The matches, each as a row index in the batch or as an object. `nil` if the matches are the rows
    /// of the batch in order.
    private let entries: ContiguousArray<Entry>?
    /// The objects that were created so far, by the index of their match. Empty until the first object is
    /// created.
    private var objects: ContiguousArray<ManagedObject?> = []

    /// A match: a row that the source found, or an object with unsaved changes.
    enum Entry {
        case stored(Int)
        case pending(ManagedObject)
    }

    let count: Int
    /// Prefetched objects, which are held for as long as this storage exists.
    var prefetched: [ManagedObject] = []
    /// Reads the state of the stores that the rows came from. `nil` if that state is not retained.
    var state: (any ObjectSource)?
    /// The number of objects that get their values together. 0 if all objects already have their values.
    var batchSize = 0
    /// The number and the objects of the last used batch.
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

    /// Returns the row of a match. Returns `nil` if the source returned only IDs, or if the match is an
    /// object with unsaved changes.
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

    /// Calls `body` with each object. If all matches are rows and no object was created yet, the objects
    /// are not kept.
    func forEach(_ body: (ManagedObject) -> Void) {
        guard batchSize == 0, entries == nil, objects.isEmpty, !batch.holdsIDsOnly else {
            for position in 0..<count { body(object(at: position)) }
            return
        }
        context.materializeAll(batch, body)
    }

    /// Returns the source that reads the state of the rows, and releases it.
    func takeState() -> (any ObjectSource)? {
        defer { state = nil }
        return state
    }

    /// Returns all objects. They are created now, and kept unless the request has a batch size.
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

    /// Returns an object of the batch that contains the position. The objects of the previous batch are
    /// no longer held.
    private func objectOfBatch(at position: Int) -> ManagedObject {
        let number = position / batchSize
        if current.number != number {
            let first = number * batchSize
            let objects = (first..<min(first + batchSize, count)).map(made)
            do {
                try context.faults.fire(objects)
            } catch {
                // The objects remain faults, which report the failure again when a value is read.
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
