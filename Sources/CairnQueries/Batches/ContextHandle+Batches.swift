import CairnObjects
import CairnStack

extension ContextHandle {
    /// Inserts an object of a class for each element of an asynchronous sequence, in one save of all stores.
    ///
    /// The objects are made in turns of the context, some thousand at a time, and saved in a last turn when the sequence
    /// has ended. In between, the context and the stores are free for others. Neither waiting for an element nor saving
    /// blocks a thread of Swift's cooperative pool. If the task is cancelled before the commit, nothing is inserted,
    /// even if the sequence then ends without an error.
    ///
    /// ```swift
    /// try await context.insertAll(Book.self, from: file.lines) { book, line in book.title = line }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the sequence is read.
    ///   - objectClass: The class of the objects.
    ///   - elements: What the objects are made from, in order.
    ///   - fill: Sets the values of one new object, which it must not keep.
    /// - Throws: as ``CairnObjects/ManagedObjectContext/execute(_:)-(BatchInsertRequest)``; what the sequence and `fill`
    ///   throw; `CancellationError` or `.saveCancelled` if the task is cancelled. Nothing was inserted.
    @discardableResult
    public func insertAll<Object: ManagedObject, Elements: AsyncSequence>(
        isolation: isolated (any Actor)? = #isolation, _ objectClass: Object.Type,
        from elements: Elements,
        _ fill: @escaping @Sendable (Object, Elements.Element) throws -> Void
    ) async throws -> BatchResult where Elements.Element: Sendable {
        let insertion = try await perform { context in
            let entity = try context.kinds.kind(of: objectClass).entity
            return try BatchInsertion(of: entity, in: context, .objectIDs)
        }
        var part: [Elements.Element] = []
        for try await element in elements {
            part.append(element)
            if part.count < BatchCollector.objectCount { continue }
            try await add(part, to: insertion, fill)
            part = []
        }
        try await add(part, to: insertion, fill)
        return try await perform { context in
            try Task.checkCancellation()
            return try context.save(insertion)
        }
    }

    private func add<Object: ManagedObject, Element: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ elements: [Element],
        to insertion: BatchInsertion,
        _ fill: @escaping @Sendable (Object, Element) throws -> Void
    ) async throws {
        try await perform { context in
            var rest = elements[...]
            _ = try insertion.addSome(context.objectClasses) { object in
                guard let element = rest.popFirst(), let object = object as? Object else {
                    return false
                }
                try fill(object, element)
                return true
            }
        }
    }
}
